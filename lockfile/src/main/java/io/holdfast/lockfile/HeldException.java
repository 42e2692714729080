package io.holdfast.lockfile;

/** Somebody else holds the lock. {@link #status()} says who; try again later. */
public final class HeldException extends LockFileException {
    private final LockFileStatus lockFileStatus;

    HeldException(LockFileStatus lockFileStatus) {
        super(
                lockFileStatus.path(),
                lockFileStatus.path() + " is held by " + lockFileStatus.holderText(),
                null);
        this.lockFileStatus = lockFileStatus;
    }

    /** The lock as the attempt found it. */
    public LockFileStatus status() {
        return lockFileStatus;
    }
}
