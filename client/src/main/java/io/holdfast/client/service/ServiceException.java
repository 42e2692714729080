package io.holdfast.client.service;

import org.jspecify.annotations.Nullable;

/** Why there is no proper answer. The message names the server, and no secret. */
public final class ServiceException extends Exception {
    /** What it means for the one who asked. */
    public enum Kind {
        /** The server said no; {@link #answer()} is its word. */
        REFUSED,
        /** It left, and no answer came. */
        OUTCOME_UNKNOWN,
        /** It never left. */
        UNREACHABLE,
        /** A plain dflockd cannot do it. */
        UNSUPPORTED,
        /** The token was refused. */
        AUTHENTICATION,
        /** The service was closed. */
        CLOSED
    }

    private final Kind kind;
    private final String answer;

    public ServiceException(Kind kind, String message, String answer, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.answer = answer;
    }

    public Kind kind() {
        return kind;
    }

    /** The server's word if it refused, else empty. */
    public String answer() {
        return answer;
    }
}
