package io.holdfast.lockfile;

/**
 * The lock that was to be released is not the one that the {@link Proof} is for. It was left alone.
 */
public final class NotOwnerException extends LockFileException {
    private final Status status;

    NotOwnerException(Status status) {
        super(
                status.path(),
                status.path() + " is held by " + status.holderText() + " and was left alone",
                null);
        this.status = status;
    }

    /** The lock as it was found. */
    public Status status() {
        return status;
    }
}
