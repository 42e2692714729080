package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long to wait, and how long between two attempts. */
final class Patience {
    private static final Duration LONGEST = Duration.ofDays(1);

    private final long startNanos = System.nanoTime();
    private final Duration interval;
    private final @Nullable Duration timeout;

    /**
     * @param timeout null for ever
     */
    Patience(Duration interval, @Nullable Duration timeout) {
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
        long nanos = (interval.compareTo(LONGEST) < 0 ? interval : LONGEST).toNanos();
        Duration pause =
                Duration.ofNanos(nanos + ThreadLocalRandom.current().nextLong(nanos / 2 + 1));
        if (timeout == null) {
            return pause;
        }
        Duration left = timeout.minus(elapsed());
        return left.compareTo(pause) < 0 ? left : pause;
    }
}
