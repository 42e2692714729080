package io.holdfast.http.web;

import io.holdfast.driver.Secret;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** Determines the role of a client by its bearer token. */
public final class Authenticator {
    private static final String SCHEME = "bearer ";

    /**
     * The tokens that clients authenticate with.
     *
     * @param secret null for no authentication
     * @param readToken null if there is none
     */
    record Credentials(@Nullable Secret secret, @Nullable Secret readToken) {
        private @Nullable AccessRole roleOf(byte[] token) {
            boolean full = secret != null && secret.matches(token);
            boolean read = readToken != null && readToken.matches(token);
            return full ? AccessRole.ADMIN : read ? AccessRole.READ : null;
        }
    }

    private volatile Credentials credentials;
    private final boolean admin;

    /**
     * @param secret null for no authentication
     * @param admin whether all clients may use the admin routes if there is no secret
     */
    public Authenticator(@Nullable Secret secret, @Nullable Secret readToken, boolean admin) {
        this.credentials = new Credentials(secret, readToken);
        this.admin = admin;
    }

    /**
     * Changes the tokens. Authentication cannot be switched on or off: there is a secret as before,
     * or none as before.
     */
    public void change(@Nullable Secret secret, @Nullable Secret readToken) {
        credentials = new Credentials(secret, readToken);
    }

    /** The current tokens. */
    Credentials credentials() {
        return credentials;
    }

    /**
     * The role of the client that sent a request; null if it did not authenticate.
     *
     * @param before the tokens when its connection was opened, which remain valid on that
     *     connection
     */
    @Nullable AccessRole roleOf(HttpServerRequest request, Credentials before) {
        Credentials now = credentials;
        if (now.secret == null) {
            return AccessRole.OPEN;
        }
        byte[] token = bearerToken(request.getHeader(HttpHeaders.AUTHORIZATION));
        AccessRole here = now.roleOf(token);
        AccessRole there =
                before.roleOf(
                        token); // check both in any case, so that the response time reveals nothing
        return here == AccessRole.ADMIN || there == null ? here : there;
    }

    /** Whether a request has a token, and authentication is enabled. */
    boolean hasCandidate(HttpServerRequest request) {
        return credentials.secret != null
                && bearerToken(request.getHeader(HttpHeaders.AUTHORIZATION)).length > 0;
    }

    private static byte[] bearerToken(@Nullable String header) {
        if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return new byte[0];
        }
        // Header values are decoded one byte per character.
        String value = header.substring(SCHEME.length());
        return value.getBytes(StandardCharsets.ISO_8859_1);
    }

    boolean allows(AccessRole accessRole, RoutePermission routePermission) {
        return switch (routePermission) {
            case NOTHING, READ -> true;
            case USE -> accessRole != AccessRole.READ;
            case ADMIN -> isAdmin(accessRole);
        };
    }

    /** Whether a client may use the admin routes. */
    boolean isAdmin(AccessRole accessRole) {
        return accessRole == AccessRole.ADMIN || (accessRole == AccessRole.OPEN && admin);
    }
}
