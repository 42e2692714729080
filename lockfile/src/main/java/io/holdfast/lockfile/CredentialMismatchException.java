package io.holdfast.lockfile;

/** The {@link ReleaseCredential} does not match the lock, which was left unchanged. */
public final class CredentialMismatchException extends LockFileException {
    private final LockFileStatus lockFileStatus;

    CredentialMismatchException(LockFileStatus lockFileStatus) {
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
