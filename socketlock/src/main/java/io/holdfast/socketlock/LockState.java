package io.holdfast.socketlock;

/** The state of a {@link SocketLock}. */
public enum LockState {
    /** Held. */
    VALID,
    /**
     * The connection to the primary is lost, and the next primary has not accepted the hold yet. No
     * other client is granted the lock meanwhile, unless this process was suspended for longer than
     * {@link LockConfig#GRACE}. Do not use what it protects until it is valid again.
     */
    IN_DOUBT,
    /** Permanently lost: its time to live has passed, or another client may hold it. */
    LOST,
    /** Released. */
    RELEASED
}
