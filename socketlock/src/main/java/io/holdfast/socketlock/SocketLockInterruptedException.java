package io.holdfast.socketlock;

/** The calling thread was interrupted; its interrupt flag is set, and nothing was acquired. */
public final class SocketLockInterruptedException extends SocketLockException {
    private static final long serialVersionUID = 1L;

    SocketLockInterruptedException(InterruptedException cause) {
        super("interrupted", cause);
    }
}
