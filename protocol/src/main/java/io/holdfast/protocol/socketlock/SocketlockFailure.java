package io.holdfast.protocol.socketlock;

/** Why a request failed, in the words of {@code REQFAIL}. */
public enum SocketlockFailure {
    QUEUE_LIMIT("timeout waiting for lock"),
    CONFIRM_LIMIT("timeout waiting for confirm"),
    TTL_TOO_LONG("timeout too long"),
    INVALID_TTL("invalid ttl"),
    INVALID_LOCK("invalid lock id"),
    REJECTED("offer rejected"),
    /** No room; the original has no bounds. */
    TOO_MANY("too many requests"),
    /** Nobody could decide in time; the original asks nobody else. */
    UNAVAILABLE("unavailable");

    private final String text;

    SocketlockFailure(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
