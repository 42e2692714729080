package io.holdfast.lockfile;

/**
 * What is at the path does not say whose it is, so it was not released. Force removes a file or a
 * link.
 */
public final class DamagedLockException extends LockFileException {
    private final Status status;

    DamagedLockException(Status status) {
        super(
                status.path(),
                status.path() + " is " + status.whatIsThere() + " and was left alone",
                null);
        this.status = status;
    }

    /** The lock as it was found. */
    public Status status() {
        return status;
    }
}
