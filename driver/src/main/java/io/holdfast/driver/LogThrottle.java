package io.holdfast.driver;

import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps clients from filling the log: of the lines of one kind it lets one through every five
 * seconds. That line has the number of those that were suppressed since the one before.
 * Thread-safe.
 */
public final class LogThrottle {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LongSupplier clock;
    private boolean logged;
    private long loggedNanos;
    private long suppressed;

    public LogThrottle() {
        this(System::nanoTime);
    }

    LogThrottle(LongSupplier clock) {
        this.clock = clock;
    }

    /** The line that was begun, or one that is logged nowhere. */
    public synchronized LoggingEventBuilder next(LoggingEventBuilder line) {
        long now = clock.getAsLong();
        if (logged && now - loggedNanos < INTERVAL_NANOS) {
            suppressed++;
            return NOPLoggingEventBuilder.singleton();
        }
        logged = true;
        loggedNanos = now;
        long left = suppressed;
        suppressed = 0;
        return left == 0 ? line : line.addKeyValue("suppressed", left);
    }
}
