package io.holdfast.cluster.bootstrap;

import java.time.Duration;
import java.util.function.LongSupplier;

/** A limit to the time that several steps take together. */
final class TimeLimit {
    private final LongSupplier clock;
    private final Duration limit;
    private final long startNanos;

    /**
     * @param clock monotonic, in nanoseconds
     */
    TimeLimit(Duration limit, LongSupplier clock) {
        this.clock = clock;
        this.limit = limit;
        this.startNanos = clock.getAsLong();
    }

    /** How long the next step may take, which never takes longer than {@code step}. */
    Duration atMost(Duration step) {
        Duration left = limit.minusNanos(clock.getAsLong() - startNanos);
        if (left.isNegative()) {
            return Duration.ZERO;
        }
        return left.compareTo(step) < 0 ? left : step;
    }
}
