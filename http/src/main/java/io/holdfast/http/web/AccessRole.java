package io.holdfast.http.web;

/** The role of a client, as authenticated by its token. */
public enum AccessRole {
    /** No secret is configured, so there is no authentication. */
    OPEN,
    /** The client sent the read-only token. */
    READ,
    /** The client sent the secret. */
    ADMIN
}
