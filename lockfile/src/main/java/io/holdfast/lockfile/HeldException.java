package io.holdfast.lockfile;

/** Somebody else holds the lock. {@link #status()} says who; try again later. */
public final class HeldException extends LockFileException {
    private final Status status;

    HeldException(Status status) {
        super(status.path(), status.path() + " is held by " + status.holderText(), null);
        this.status = status;
    }

    /** The lock as the attempt found it. */
    public Status status() {
        return status;
    }
}
