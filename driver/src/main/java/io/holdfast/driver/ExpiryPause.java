package io.holdfast.driver;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Delays expiries after a pause of the process, such as a suspended machine or a long GC, until the
 * input that clients sent meanwhile has been read, so that a renewal that arrived in time counts.
 * The deadline thread publishes by when it will check the clock again; a thread that finds the
 * clock far beyond that time begins to hold back expiries, and the deadline thread ends this after
 * one round of reads, or after a second if the round takes longer.
 */
final class ExpiryPause {
    private static final Logger LOG = LoggerFactory.getLogger(ExpiryPause.class);

    /** How often the deadline thread checks the clock while there are deadlines. */
    static final long CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A check that is later than this means that the process was not running. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long MAX_HELD_MILLIS = 1000;

    /** A busy machine must not hold back expiries for ever. */
    private static final int MAX_ROUNDS = 3;

    private static final long MIN_LOGGED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long NONE = Long.MAX_VALUE;

    private final SocketReadBarrier socketReadBarrier;
    private final LongSupplier clock;
    private final boolean used;

    /** Deadlines after this time are held back; {@link #NONE} if none are. */
    private final AtomicLong heldFrom = new AtomicLong(NONE);

    /**
     * By when the deadline thread checks the clock again; {@link #NONE} if there is no deadline.
     */
    private volatile long nextCheckNanos = NONE;

    /** Wakes the deadline thread when expiries begin to be held back. */
    private Runnable onBegin = () -> {};

    ExpiryPause(SocketReadBarrier socketReadBarrier, LongSupplier clock) {
        this.socketReadBarrier = socketReadBarrier;
        this.clock = clock;
        this.used = !socketReadBarrier.equals(SocketReadBarrier.NONE);
    }

    void onBegin(Runnable listener) {
        onBegin = listener;
    }

    /** Whether there may be unread input; otherwise expiries are never held back. */
    boolean isUsed() {
        return used;
    }

    /**
     * The deadline thread is about to sleep and will check the clock again before a time.
     *
     * @param nanos {@link Long#MAX_VALUE} if there is no deadline
     */
    void nextCheckBy(long nanos) {
        nextCheckNanos = nanos;
    }

    /** The time up to which deadlines expire; {@code now} unless expiries are held back. */
    long dueNanos(long now) {
        long expected = nextCheckNanos;
        if (now - LATE_NANOS > expected && expected != NONE && used) {
            begin(expected);
        }
        return Math.min(now, heldFrom.get());
    }

    private void begin(long fromNanos) {
        if (heldFrom.compareAndSet(NONE, fromNanos)) {
            onBegin.run();
        }
    }

    /**
     * Called by the deadline thread after waking up: if expiries are or should be held back, waits
     * for the input to be read and lets them expire again.
     */
    void check() {
        long now = clock.getAsLong();
        long from = dueNanos(now);
        if (nextCheckNanos != NONE) {
            nextCheckNanos = now + CHECK_INTERVAL_NANOS;
        }
        if (heldFrom.get() == NONE) {
            return;
        }
        try {
            boolean complete = readInput();
            if (now - from > MIN_LOGGED_NANOS || !complete) {
                LOG.atWarn()
                        .addKeyValue("pause_ms", TimeUnit.NANOSECONDS.toMillis(now - from))
                        .addKeyValue("input_read", complete)
                        .log(
                                "the process was paused; leases expire after pending input has been"
                                        + " read");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            // The time spent waiting here is not another pause, but one may follow.
            nextCheckNanos = clock.getAsLong() + CHECK_INTERVAL_NANOS;
            heldFrom.set(NONE);
        }
    }

    /**
     * Waits until the pending input has been read. The process may be paused again meanwhile, and
     * what arrived in that time is not part of the round of reads: then there is another round.
     *
     * @return whether the input was read in time
     */
    private boolean readInput() throws InterruptedException {
        for (int round = 1; ; round++) {
            long startNanos = clock.getAsLong();
            CountDownLatch read = new CountDownLatch(1);
            socketReadBarrier.then(read::countDown);
            boolean complete = read.await(MAX_HELD_MILLIS, TimeUnit.MILLISECONDS);
            long expectedNanos = complete ? 0 : TimeUnit.MILLISECONDS.toNanos(MAX_HELD_MILLIS);
            boolean paused = clock.getAsLong() - startNanos > expectedNanos + LATE_NANOS;
            if (!paused || round == MAX_ROUNDS) {
                return complete;
            }
        }
    }
}
