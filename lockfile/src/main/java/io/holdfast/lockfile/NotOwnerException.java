package io.holdfast.lockfile;

/**
 * The lock that was to be released is not the one that the {@link ReleaseCredential} is for. It was
 * left alone.
 */
public final class NotOwnerException extends LockFileException {
    private final LockFileStatus lockFileStatus;

    NotOwnerException(LockFileStatus lockFileStatus) {
        super(
                lockFileStatus.path(),
                lockFileStatus.path()
                        + " is held by "
                        + lockFileStatus.holderText()
                        + " and was left alone",
                null);
        this.lockFileStatus = lockFileStatus;
    }

    /** The lock as it was found. */
    public LockFileStatus status() {
        return lockFileStatus;
    }
}
