package io.holdfast.http.web;

/** The permission that a route requires. */
public enum RoutePermission {
    /** No authentication. */
    NOTHING,
    /** The read-only token or the secret, if a secret is configured. */
    READ,
    /** The secret, if one is configured. */
    USE,
    /** The secret; without a secret the route exists only if it is enabled in the settings. */
    ADMIN
}
