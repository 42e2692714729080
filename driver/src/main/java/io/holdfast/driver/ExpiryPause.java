package io.holdfast.driver;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * After the process stood still, nothing expires before what clients had sent meanwhile has been
 * read: a renewal that arrived in time counts. The deadline thread says by when it looks at the
 * clock again; whoever sees a clock that is much further begins a hold, and the deadline thread
 * ends it after one round of reads, or after a second however busy the sockets are.
 */
final class ExpiryPause {
    private static final Logger LOG = LoggerFactory.getLogger(ExpiryPause.class);

    /** The deadline thread looks at the clock so often while anything has a deadline. */
    static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** So late is only who did not get to run. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long LONGEST_MILLIS = 1000;
    private static final long LOGGED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long NONE = Long.MAX_VALUE;

    private final ReadRound readRound;
    private final LongSupplier clock;
    private final boolean used;

    /** Deadlines after this time are held; {@link #NONE} if none are. */
    private final AtomicLong heldFrom = new AtomicLong(NONE);

    /** By when the deadline thread looks at the clock again; {@link #NONE} if nothing is due. */
    private volatile long lookNanos = NONE;

    /** Tells the deadline thread that a hold has begun. */
    private Runnable onBegin = () -> {};

    ExpiryPause(ReadRound readRound, LongSupplier clock) {
        this.readRound = readRound;
        this.clock = clock;
        this.used = !readRound.equals(ReadRound.NONE);
    }

    void onBegin(Runnable listener) {
        onBegin = listener;
    }

    /** Whether there is input to wait for. */
    boolean isUsed() {
        return used;
    }

    /**
     * The deadline thread is about to sleep, and to look again before a time.
     *
     * @param nanos {@link Long#MAX_VALUE} if nothing has a deadline
     */
    void looksBy(long nanos) {
        lookNanos = nanos;
    }

    /** Up to which time deadlines count, if it is now. */
    long dueNanos(long now) {
        long look = lookNanos;
        if (now - LATE_NANOS > look && look != NONE && used) {
            begin(look);
        }
        return Math.min(now, heldFrom.get());
    }

    private void begin(long look) {
        if (heldFrom.compareAndSet(NONE, look)) {
            onBegin.run();
        }
    }

    /** For the deadline thread, which has woken: ends a hold, if there is one or should be. */
    void look() {
        long now = clock.getAsLong();
        long from = dueNanos(now);
        if (lookNanos != NONE) {
            lookNanos = now + LOOK_EVERY_NANOS;
        }
        if (heldFrom.get() == NONE) {
            return;
        }
        try {
            CountDownLatch read = new CountDownLatch(1);
            readRound.then(read::countDown);
            boolean complete = read.await(LONGEST_MILLIS, TimeUnit.MILLISECONDS);
            if (now - from > LOGGED_NANOS || !complete) {
                LOG.atWarn()
                        .addKeyValue("pause_ms", TimeUnit.NANOSECONDS.toMillis(now - from))
                        .addKeyValue("input_read", complete)
                        .log("the process stood still; leases expire after the input is read");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            // The time that was waited is no other pause, but one may follow.
            lookNanos = clock.getAsLong() + LOOK_EVERY_NANOS;
            heldFrom.set(NONE);
        }
    }
}
