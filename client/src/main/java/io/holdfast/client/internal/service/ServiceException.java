package io.holdfast.client.internal.service;

import org.jspecify.annotations.Nullable;

/** A failure of a request. The message names the server and contains no secret. */
public final class ServiceException extends Exception {
    /** What the failure means for the caller. */
    public enum Kind {
        /** The server refused the request; {@link #response()} is its error code. */
        REFUSED,
        /** The request was sent, and there was no response. */
        OUTCOME_UNKNOWN,
        /** The request was not sent. */
        UNREACHABLE,
        /** The server is a plain dflockd, which does not support the request. */
        UNSUPPORTED,
        /** The auth token was rejected or is missing. */
        AUTHENTICATION,
        /** The service was closed. */
        CLOSED
    }

    private final Kind kind;
    private final String response;

    public ServiceException(Kind kind, String message, String response, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.response = response;
    }

    public Kind kind() {
        return kind;
    }

    /** The error code of the server if it refused the request, otherwise empty. */
    public String response() {
        return response;
    }
}
