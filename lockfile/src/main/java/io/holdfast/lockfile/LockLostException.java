package io.holdfast.lockfile;

/**
 * The caller does not hold the lock any more, and must stop using what it protects. What is at the
 * path now was left unchanged.
 */
public final class LockLostException extends LockFileException {
    /** How the lock was lost. */
    public enum Reason {
        /** Another file is in its place. */
        TAKEN_OVER("was taken over"),
        /** The file is gone. */
        REMOVED("was removed"),
        /** Another program has written to the file. */
        OVERWRITTEN("was overwritten");

        private final String text;

        Reason(String text) {
            this.text = text;
        }
    }

    private final Reason reason;
    private final LockFileStatus lockFileStatus;

    LockLostException(Reason reason, LockFileStatus lockFileStatus) {
        super(
                lockFileStatus.path(),
                "the lock "
                        + lockFileStatus.path()
                        + " "
                        + reason.text
                        + " while it was held; now it is "
                        + (lockFileStatus.isLocked()
                                ? "held by " + lockFileStatus.holderText()
                                : "free"),
                null);
        this.reason = reason;
        this.lockFileStatus = lockFileStatus;
    }

    public Reason reason() {
        return reason;
    }

    /** The lock as it was found. */
    public LockFileStatus status() {
        return lockFileStatus;
    }
}
