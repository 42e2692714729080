package io.holdfast.client.lockd;

/**
 * The calling thread was interrupted; its interrupt flag is set. If the command had been sent, the
 * connection was closed, as with {@link LockdConnectionException}; if it was still waiting for its
 * turn or for the connection, it never is sent, and the client goes on working.
 */
public final class LockdInterruptedException extends LockdException {
    private static final long serialVersionUID = 1L;

    LockdInterruptedException(String message, InterruptedException cause) {
        super(message, cause);
    }
}
