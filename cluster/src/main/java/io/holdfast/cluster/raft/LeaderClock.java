package io.holdfast.cluster.raft;

import io.holdfast.driver.InputBarrier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The clock whose readings a leader writes into log entries. It leaves out the time in which the
 * process did not run, such as a suspended machine or a long collection: otherwise leases would
 * expire while their renewals wait in sockets. All leases become longer by a pause, as they do by
 * the time in which a cluster has no leader.
 *
 * <p>{@link #beat} is called every {@link #BEAT_NANOS}. A beat that comes much later shows a pause.
 * The clock then stands at its last reading until the sockets have been read once, and at least
 * until the next beat, so that what was read has reached the log. Thread-safe.
 */
public final class LeaderClock implements LongSupplier {
    /** The interval in which {@link #beat} is to be called. */
    public static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A longer time without a beat is a pause. */
    static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** The longest wait for sockets to be read. */
    static final long MAX_READ_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long LOGGED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(LeaderClock.class);

    private final LongSupplier clock;
    private final InputBarrier inputBarrier;

    // Guarded by this.
    private long lastBeatNanos;
    private long leftOutNanos;
    private long readingNanos;
    private boolean stopped;
    private long stoppedAtNanos;

    /** Whether sockets have been read since the clock stopped; null before it was asked for. */
    private @Nullable AtomicBoolean inputRead;

    public LeaderClock(LongSupplier clock, InputBarrier inputBarrier) {
        this.clock = clock;
        this.inputBarrier = inputBarrier;
        this.lastBeatNanos = clock.getAsLong();
        this.readingNanos = lastBeatNanos;
    }

    @Override
    public synchronized long getAsLong() {
        advance(clock.getAsLong());
        return readingNanos;
    }

    /** Shows that the process runs. */
    public void beat() {
        AtomicBoolean read = observeBeat();
        if (read != null) {
            inputBarrier.then(() -> read.set(true));
        }
    }

    /** Returns what to set once sockets have been read; null if they need not be. */
    private synchronized @Nullable AtomicBoolean observeBeat() {
        long now = clock.getAsLong();
        advance(now);
        lastBeatNanos = now;
        if (!stopped) {
            return null;
        }
        AtomicBoolean read = inputRead;
        if (read == null) {
            inputRead = new AtomicBoolean();
            return inputRead;
        }
        if (read.get() || now - stoppedAtNanos > MAX_READ_NANOS) {
            resume(now, read.get());
        }
        return null;
    }

    private void advance(long now) {
        if (!stopped && now - lastBeatNanos > PAUSE_NANOS) {
            stopped = true;
            stoppedAtNanos = now;
        }
        if (!stopped) {
            readingNanos = Math.max(readingNanos, now - leftOutNanos);
        }
    }

    private void resume(long now, boolean read) {
        long pauseNanos = now - leftOutNanos - readingNanos;
        if (pauseNanos > LOGGED_NANOS) {
            LOG.atWarn()
                    .addKeyValue("pause_ms", TimeUnit.NANOSECONDS.toMillis(pauseNanos))
                    .addKeyValue("input_read", read)
                    .log("the process did not run; the pause does not count for leases");
        }
        leftOutNanos += pauseNanos;
        stopped = false;
        inputRead = null;
    }
}
