package io.holdfast.client.lockd;

import org.jspecify.annotations.Nullable;

/** Base of every failure a {@link LockdClient} reports. The type says what to do next. */
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
