package io.holdfast.socketlock;

/** The client is closed. */
public final class SocketLockClosedException extends SocketLockException {
    private static final long serialVersionUID = 1L;

    SocketLockClosedException() {
        super("client is closed");
    }
}
