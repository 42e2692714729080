package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Tracks the timeout of a waiter and computes the pause until its next attempt. */
final class RetrySchedule {
    private static final Duration MAX_INTERVAL = Duration.ofDays(1);

    private final long startNanos = System.nanoTime();
    private final Duration interval;
    private final @Nullable Duration timeout;

    /**
     * @param timeout null for no timeout
     */
    RetrySchedule(Duration interval, @Nullable Duration timeout) {
        this.interval = interval;
        this.timeout = timeout;
    }

    boolean isOver() {
        return timeout != null && elapsed().compareTo(timeout) >= 0;
    }

    private Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /**
     * The pause until the next attempt: the interval plus up to half of it at random, so that
     * waiters do not retry at the same time; at most the remaining time.
     */
    Duration next() {
        long nanos = (interval.compareTo(MAX_INTERVAL) < 0 ? interval : MAX_INTERVAL).toNanos();
        Duration pause =
                Duration.ofNanos(nanos + ThreadLocalRandom.current().nextLong(nanos / 2 + 1));
        if (timeout == null) {
            return pause;
        }
        Duration left = timeout.minus(elapsed());
        return left.compareTo(pause) < 0 ? left : pause;
    }
}
