package io.holdfast.http.web;

/** What a client has to be allowed to use a route. */
public enum RoutePermission {
    /** Anybody may. */
    NOTHING,
    /** The read-only token or the secret, where there is one. */
    READ,
    /** The secret, where there is one. */
    USE,
    /** The secret; where there is none, the route exists only if the settings say so. */
    ADMIN
}
