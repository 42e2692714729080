package io.holdfast.client.lockd;

import org.jspecify.annotations.Nullable;

/**
 * There is no connection, or no more: it could not be made, was lost or closed, or was given up
 * because an answer was late or wrong. The server frees whatever this client held, and whatever the
 * last command may have taken, as soon as it notices; until then others may still be refused. Stop
 * touching what the locks protect. This client stays closed: make a new one to go on.
 */
public final class LockdConnectionException extends LockdException {
    private static final long serialVersionUID = 1L;

    LockdConnectionException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
