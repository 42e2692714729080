package io.holdfast.socketlock;

/**
 * The primary refused the request, and nothing was acquired: its request timeout has passed, or the
 * time to live is longer than allowed. The message ends with its reason.
 */
public final class SocketLockRefusedException extends SocketLockException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    SocketLockRefusedException(String reason) {
        super(reason);
        this.reason = reason;
    }

    /** The primary's reason, without the rest of the message. */
    public String reason() {
        return reason;
    }
}
