package io.holdfast.socketlock;

/** The timeout of the caller's {@link AcquireOptions} has passed, and nothing was acquired. */
public final class SocketLockTimeoutException extends SocketLockException {
    private static final long serialVersionUID = 1L;

    SocketLockTimeoutException(String reason) {
        super(reason);
    }
}
