package io.holdfast.lockd;

import org.jspecify.annotations.Nullable;

/** Base of all failures that a {@link LockdClient} reports. */
public abstract sealed class LockdException extends RuntimeException
        permits LockdRefusedException,
                LockdDisabledException,
                LockdConnectionException,
                LockdInterruptedException {
    private static final long serialVersionUID = 1L;

    LockdException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
