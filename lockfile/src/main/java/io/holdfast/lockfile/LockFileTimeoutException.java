package io.holdfast.lockfile;

import java.time.Duration;

/** The lock was not acquired within the timeout. {@link #status()} names the last holder. */
public final class LockFileTimeoutException extends LockFileException {
    private final LockFileStatus lockFileStatus;
    private final Duration timeout;

    LockFileTimeoutException(LockFileStatus lockFileStatus, Duration timeout) {
        super(
                lockFileStatus.path(),
                lockFileStatus.path()
                        + " was not released within "
                        + timeout.toMillis()
                        + " ms; it is held by "
                        + lockFileStatus.holderText(),
                null);
        this.lockFileStatus = lockFileStatus;
        this.timeout = timeout;
    }

    /** The lock as the last attempt found it. */
    public LockFileStatus status() {
        return lockFileStatus;
    }

    /** The timeout that has passed. */
    public Duration timeout() {
        return timeout;
    }
}
