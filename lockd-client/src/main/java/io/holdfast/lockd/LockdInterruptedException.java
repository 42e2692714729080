package io.holdfast.lockd;

/**
 * The calling thread was interrupted; its interrupt flag is set. If the command had been sent, the
 * connection was closed, as with {@link LockdConnectionException}; otherwise it is never sent, and
 * the client remains usable.
 */
public final class LockdInterruptedException extends LockdException {
    private static final long serialVersionUID = 1L;

    LockdInterruptedException(String message, InterruptedException cause) {
        super(message, cause);
    }
}
