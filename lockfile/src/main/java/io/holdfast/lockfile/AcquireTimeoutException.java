package io.holdfast.lockfile;

import java.time.Duration;

/** The lock did not come free in time. {@link #status()} says who had it at the end. */
public final class AcquireTimeoutException extends LockFileException {
    private final Status status;
    private final Duration timeout;

    AcquireTimeoutException(Status status, Duration timeout) {
        super(
                status.path(),
                status.path()
                        + " did not come free within "
                        + timeout.toMillis()
                        + " ms, it is held by "
                        + status.holderText(),
                null);
        this.status = status;
        this.timeout = timeout;
    }

    /** The lock as the last attempt found it. */
    public Status status() {
        return status;
    }

    /** How long it was waited for. */
    public Duration timeout() {
        return timeout;
    }
}
