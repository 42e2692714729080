package io.holdfast.lockfile;

import java.time.Duration;

/** The lock did not come free in time. {@link #status()} says who had it at the end. */
public final class LockFileTimeoutException extends LockFileException {
    private final LockFileStatus lockFileStatus;
    private final Duration timeout;

    LockFileTimeoutException(LockFileStatus lockFileStatus, Duration timeout) {
        super(
                lockFileStatus.path(),
                lockFileStatus.path()
                        + " did not come free within "
                        + timeout.toMillis()
                        + " ms, it is held by "
                        + lockFileStatus.holderText(),
                null);
        this.lockFileStatus = lockFileStatus;
        this.timeout = timeout;
    }

    /** The lock as the last attempt found it. */
    public LockFileStatus status() {
        return lockFileStatus;
    }

    /** How long it was waited for. */
    public Duration timeout() {
        return timeout;
    }
}
