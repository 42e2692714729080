package io.holdfast.client.socketlock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** What one acquire asks for beside the mode. */
public final class AcquireOptions {
    /** No time to live, and no limit but the primary's for the wait. */
    public static final AcquireOptions NONE = new AcquireOptions(Duration.ZERO, null);

    private final Duration ttl;
    private final @Nullable Duration timeout;

    private AcquireOptions(Duration ttl, @Nullable Duration timeout) {
        this.ttl = ttl;
        this.timeout = timeout;
    }

    /**
     * The lock ends by itself so long after it was acquired, rounded up to whole seconds. Zero or
     * less is no time to live. It has no effect on an acquire that joins a lock that is held.
     */
    public static AcquireOptions ttl(Duration ttl) {
        return NONE.withTtl(ttl);
    }

    /** Gives up after this time; the primary has a limit of its own for every request. */
    public static AcquireOptions timeout(Duration timeout) {
        return NONE.withTimeout(timeout);
    }

    /** The same with this time to live. */
    public AcquireOptions withTtl(Duration value) {
        return new AcquireOptions(value, timeout);
    }

    /** The same with this limit for the wait. */
    public AcquireOptions withTimeout(Duration value) {
        return new AcquireOptions(ttl, value);
    }

    /** Whole seconds; 0 for none. */
    long ttlSeconds() {
        if (ttl.isNegative() || ttl.isZero()) {
            return 0;
        }
        return ttl.getNano() == 0 || ttl.getSeconds() == Long.MAX_VALUE
                ? ttl.getSeconds()
                : ttl.getSeconds() + 1;
    }

    @Nullable Duration timeout() {
        return timeout;
    }
}
