package io.holdfast.lockd;

import org.jspecify.annotations.Nullable;

/**
 * There is no connection: it could not be established, was lost or closed, or was closed by the
 * client because a response was late or malformed. The server releases what this client held, and
 * what the last command may have acquired, as soon as it detects the end of the connection; until
 * then other clients may still be refused. The caller must stop using what the locks protect. This
 * client stays closed; create a new one.
 */
public final class LockdConnectionException extends LockdException {
    private static final long serialVersionUID = 1L;

    LockdConnectionException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
