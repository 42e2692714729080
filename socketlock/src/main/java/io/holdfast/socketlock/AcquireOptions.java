package io.holdfast.socketlock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** The options of one acquire: time to live and timeout. */
public final class AcquireOptions {
    /** No time to live, and no timeout other than the primary's request timeout. */
    public static final AcquireOptions NONE = new AcquireOptions(Duration.ZERO, null);

    private final Duration ttl;
    private final @Nullable Duration timeout;

    private AcquireOptions(Duration ttl, @Nullable Duration timeout) {
        this.ttl = ttl;
        this.timeout = timeout;
    }

    /**
     * The lock expires this long after it was acquired, rounded up to whole seconds. Zero or less
     * means no time to live. It has no effect on an acquire that joins a lock that the client
     * already holds.
     */
    public static AcquireOptions ttl(Duration ttl) {
        return NONE.withTtl(ttl);
    }

    /**
     * The acquire fails after this time; the primary has a timeout of its own for every request.
     */
    public static AcquireOptions timeout(Duration timeout) {
        return NONE.withTimeout(timeout);
    }

    /** These options with another time to live. */
    public AcquireOptions withTtl(Duration value) {
        return new AcquireOptions(value, timeout);
    }

    /** These options with another timeout. */
    public AcquireOptions withTimeout(Duration value) {
        return new AcquireOptions(ttl, value);
    }

    /** The time to live in whole seconds; 0 for none. */
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
