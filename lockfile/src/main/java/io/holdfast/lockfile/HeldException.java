package io.holdfast.lockfile;

/** The lock is held by another holder, which {@link #status()} names. */
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
