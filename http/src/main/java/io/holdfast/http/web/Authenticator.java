package io.holdfast.http.web;

import io.holdfast.driver.Secret;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** Tells who a client is by what it bears. */
public final class Authenticator {
    private static final String SCHEME = "bearer ";

    /**
     * What clients have to know.
     *
     * @param secret null lets everybody in
     * @param readToken null if there is none
     */
    record Credentials(@Nullable Secret secret, @Nullable Secret readToken) {
        private @Nullable AccessRole roleOf(byte[] borne) {
            boolean full = secret != null && secret.matches(borne);
            boolean read = readToken != null && readToken.matches(borne);
            return full ? AccessRole.ADMIN : read ? AccessRole.READ : null;
        }
    }

    private volatile Credentials credentials;
    private final boolean admin;

    /**
     * @param secret null lets everybody in
     * @param admin whether everybody is an administrator where there is no secret
     */
    public Authenticator(@Nullable Secret secret, @Nullable Secret readToken, boolean admin) {
        this.credentials = new Credentials(secret, readToken);
        this.admin = admin;
    }

    /** From now on clients have to know these; there is a secret as before, or none as before. */
    public void change(@Nullable Secret secret, @Nullable Secret readToken) {
        credentials = new Credentials(secret, readToken);
    }

    /** What clients have to know at present. */
    Credentials credentials() {
        return credentials;
    }

    /**
     * Who sent a request; null if it has to show that and did not.
     *
     * @param before what clients had to know when its connection began: that still serves there
     */
    @Nullable AccessRole roleOf(HttpServerRequest request, Credentials before) {
        Credentials now = credentials;
        if (now.secret == null) {
            return AccessRole.OPEN;
        }
        byte[] borne = borne(request.getHeader(HttpHeaders.AUTHORIZATION));
        AccessRole here = now.roleOf(borne);
        AccessRole there = before.roleOf(borne); // both in any case: the time tells nothing
        return here == AccessRole.ADMIN || there == null ? here : there;
    }

    /** Whether a request has something that could be the secret, where there is one. */
    boolean hasCandidate(HttpServerRequest request) {
        return credentials.secret != null
                && borne(request.getHeader(HttpHeaders.AUTHORIZATION)).length > 0;
    }

    private static byte[] borne(@Nullable String header) {
        if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return new byte[0];
        }
        // Header values arrive byte by byte as characters.
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

    /** Whether the admin routes are there for a client. */
    boolean isAdmin(AccessRole accessRole) {
        return accessRole == AccessRole.ADMIN || (accessRole == AccessRole.OPEN && admin);
    }
}
