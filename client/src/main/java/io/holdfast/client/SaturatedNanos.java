package io.holdfast.client;

import java.time.Duration;

/** Durations in nanoseconds that do not overflow. */
final class SaturatedNanos {
    /** Long enough to be for ever, short enough to be added to a clock. */
    static final long MAX_NANOS = Long.MAX_VALUE / 4;

    private static final Duration MAX_DURATION = Duration.ofNanos(MAX_NANOS);

    private SaturatedNanos() {}

    /** A wait: 0 tries once. */
    static long waiting(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout must not be negative but is " + timeout);
        }
        return timeout.compareTo(MAX_DURATION) >= 0 ? Long.MAX_VALUE : timeout.toNanos();
    }

    static long lease(Duration lease) {
        if (lease.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("lease must be at least 1 ms but is " + lease);
        }
        return saturated(lease);
    }

    static long saturated(Duration span) {
        return span.compareTo(MAX_DURATION) >= 0 ? MAX_NANOS : span.toNanos();
    }

    static long capped(long nanos) {
        return Math.min(nanos, MAX_NANOS);
    }
}
