package io.holdfast.lockfile;

/**
 * You were the holder and are not any more: stop touching what the lock protects. Whatever is at
 * the path now was left alone.
 */
public final class LockLostException extends LockFileException {
    /** How a lock gets lost. */
    public enum Reason {
        /** Another file is in its place. */
        TAKEN_OVER("was taken over"),
        /** The file is gone. */
        REMOVED("was removed"),
        /** Somebody wrote into the file. */
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
