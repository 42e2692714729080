package io.holdfast.lockfile;

/**
 * What is at the path names no holder, so it was not released. {@link FileSemaphore#forceRelease}
 * removes a file or a symbolic link.
 */
public final class DamagedLockException extends LockFileException {
    private final LockFileStatus lockFileStatus;

    DamagedLockException(LockFileStatus lockFileStatus) {
        super(
                lockFileStatus.path(),
                lockFileStatus.path()
                        + " is "
                        + lockFileStatus.whatIsThere()
                        + " and was left alone",
                null);
        this.lockFileStatus = lockFileStatus;
    }

    /** The lock as it was found. */
    public LockFileStatus status() {
        return lockFileStatus;
    }
}
