package io.holdfast.client;

import java.time.Duration;

/** Converts durations to nanoseconds without overflow. */
final class SaturatedNanos {
    /** In effect unlimited, but small enough that adding it to a clock value does not overflow. */
    static final long MAX_NANOS = Long.MAX_VALUE / 4;

    private static final Duration MAX_DURATION = Duration.ofNanos(MAX_NANOS);

    private SaturatedNanos() {}

    /** The timeout of an acquire; 0 for a try-acquire. */
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

    static long saturated(Duration duration) {
        return duration.compareTo(MAX_DURATION) >= 0 ? MAX_NANOS : duration.toNanos();
    }

    static long capped(long nanos) {
        return Math.min(nanos, MAX_NANOS);
    }
}
