package io.holdfast.client.socketlock;

/**
 * The primary said no, and nothing is held: the wait took too long, the time to live is longer than
 * allowed. The message ends with its reason.
 */
public final class SocketLockRefusedException extends SocketLockException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    SocketLockRefusedException(String reason) {
        super(reason);
        this.reason = reason;
    }

    /** What the primary said, without the rest of the message. */
    public String reason() {
        return reason;
    }
}
