package io.holdfast.http.web;

/** Who a client has shown to be. */
public enum AccessRole {
    /** Anybody: no secret is set. */
    OPEN,
    /** Has the read-only token. */
    READ,
    /** Has the secret. */
    ADMIN
}
