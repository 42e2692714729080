package io.holdfast.protocol.socketlock;

/** Why a request failed, with the text of {@code REQFAIL}. */
public enum SocketlockFailure {
    QUEUE_LIMIT("timeout waiting for lock"),
    CONFIRM_LIMIT("timeout waiting for confirm"),
    TTL_TOO_LONG("timeout too long"),
    INVALID_TTL("invalid ttl"),
    INVALID_LOCK("invalid lock id"),
    REJECTED("offer rejected"),
    /** A limit or memory budget is reached; the original has no limits. */
    TOO_MANY("too many requests"),
    /** The request was not committed in time; the original is not replicated. */
    UNAVAILABLE("unavailable");

    private final String text;

    SocketlockFailure(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
