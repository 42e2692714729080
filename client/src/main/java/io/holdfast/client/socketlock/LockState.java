package io.holdfast.client.socketlock;

/** What has become of a {@link SocketLock}. */
public enum LockState {
    /** Held. */
    VALID,
    /**
     * The primary is gone, and the next one has not said yet whether it still counts. Nobody else
     * has it meanwhile, unless this process was stopped for longer than {@link LockConfig#GRACE};
     * touch nothing that it protects until it is valid again.
     */
    IN_DOUBT,
    /** Not held any more, for good: its time to live is over, or somebody else may have it. */
    LOST,
    /** Given back. */
    RELEASED
}
