package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long to wait, and how long between two attempts. */
final class RetrySchedule {
    private static final Duration MAX_INTERVAL = Duration.ofDays(1);

    private final long startNanos = System.nanoTime();
    private final Duration interval;
    private final @Nullable Duration timeout;

    /**
     * @param timeout null for ever
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
     * An interval and up to half of one, so that many who wait do not come together; or what is
     * left.
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
