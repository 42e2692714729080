package io.holdfast.cluster.bootstrap;

import java.time.Duration;
import java.util.function.LongSupplier;

/** A time limit that several steps share. */
final class TimeLimit {
    private final LongSupplier clock;
    private final Duration limit;
    private final long startNanos;

    /**
     * @param clock a monotonic clock, in nanoseconds
     */
    TimeLimit(Duration limit, LongSupplier clock) {
        this.clock = clock;
        this.limit = limit;
        this.startNanos = clock.getAsLong();
    }

    /** Returns the time that the next step may take: at most {@code step}. */
    Duration atMost(Duration step) {
        Duration left = limit.minusNanos(clock.getAsLong() - startNanos);
        if (left.isNegative()) {
            return Duration.ZERO;
        }
        return left.compareTo(step) < 0 ? left : step;
    }
}
