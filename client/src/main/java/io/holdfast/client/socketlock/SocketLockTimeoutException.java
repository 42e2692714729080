package io.holdfast.client.socketlock;

/** The time that the caller gave is over, and nothing is held. */
public final class SocketLockTimeoutException extends SocketLockException {
    private static final long serialVersionUID = 1L;

    SocketLockTimeoutException(String reason) {
        super(reason);
    }
}
