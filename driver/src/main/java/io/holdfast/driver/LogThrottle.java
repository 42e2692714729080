package io.holdfast.driver;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits log messages that clients can cause: of the messages of one kind, one is logged every five
 * seconds, with the number of messages suppressed since the previous one. Thread-safe.
 */
public final class LogThrottle {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LongSupplier clock;

    @GuardedBy("this")
    private boolean logged;

    @GuardedBy("this")
    private long loggedNanos;

    @GuardedBy("this")
    private long suppressed;

    public LogThrottle() {
        this(System::nanoTime);
    }

    LogThrottle(LongSupplier clock) {
        this.clock = clock;
    }

    /** Returns the given event, or one that is not logged. */
    public synchronized LoggingEventBuilder next(LoggingEventBuilder event) {
        long now = clock.getAsLong();
        if (logged && now - loggedNanos < INTERVAL_NANOS) {
            suppressed++;
            return NOPLoggingEventBuilder.singleton();
        }
        logged = true;
        loggedNanos = now;
        long count = suppressed;
        suppressed = 0;
        return count == 0 ? event : event.addKeyValue("suppressed", count);
    }
}
