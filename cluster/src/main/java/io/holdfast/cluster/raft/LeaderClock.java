package io.holdfast.cluster.raft;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.driver.SocketReadBarrier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The clock whose readings a leader writes into log entries. After a time in which the process did
 * not run, such as a suspended machine or a long collection, it holds back what became due
 * meanwhile: otherwise leases would expire while their renewals wait in sockets.
 *
 * <p>{@link #beat} is called every {@link #BEAT_NANOS}. A beat that comes much later shows a pause.
 * Then nothing expires that was not due at the last reading, until the sockets have been read once,
 * and at least until the next beat, so that what was read has reached the log. Thread-safe.
 */
public final class LeaderClock implements Supplier<EntryTime> {
    /** The interval in which {@link #beat} is to be called. */
    public static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A longer time without a beat is a pause. */
    static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** The longest wait for sockets to be read. */
    static final long MAX_READ_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long LOGGED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(LeaderClock.class);

    private final LongSupplier clock;
    private final SocketReadBarrier socketReadBarrier;

    @GuardedBy("this")
    private long lastBeatNanos;

    @GuardedBy("this")
    private long dueNanos;

    @GuardedBy("this")
    private boolean heldBack;

    @GuardedBy("this")
    private long heldBackSinceNanos;

    /** Whether sockets have been read since the pause; null before it was requested. */
    @GuardedBy("this")
    private @Nullable AtomicBoolean inputRead;

    public LeaderClock(LongSupplier clock, SocketReadBarrier socketReadBarrier) {
        this.clock = clock;
        this.socketReadBarrier = socketReadBarrier;
        this.lastBeatNanos = clock.getAsLong();
        this.dueNanos = lastBeatNanos;
    }

    @Override
    public synchronized EntryTime get() {
        long now = clock.getAsLong();
        advance(now);
        return new EntryTime(now, dueNanos);
    }

    /** Shows that the process runs. */
    public void beat() {
        AtomicBoolean read = observeBeat();
        if (read != null) {
            socketReadBarrier.then(() -> read.set(true));
        }
    }

    /** Returns what to set once sockets have been read; null if they need not be. */
    private synchronized @Nullable AtomicBoolean observeBeat() {
        long now = clock.getAsLong();
        advance(now);
        lastBeatNanos = now;
        if (!heldBack) {
            return null;
        }
        AtomicBoolean read = inputRead;
        if (read == null) {
            inputRead = new AtomicBoolean();
            return inputRead;
        }
        if (read.get() || now - heldBackSinceNanos > MAX_READ_NANOS) {
            resume(now, read.get());
        }
        return null;
    }

    @GuardedBy("this")
    private void advance(long now) {
        if (!heldBack && now - lastBeatNanos > PAUSE_NANOS) {
            heldBack = true;
            heldBackSinceNanos = now;
        }
        if (!heldBack) {
            dueNanos = now;
        }
    }

    @GuardedBy("this")
    private void resume(long now, boolean read) {
        long pauseNanos = now - dueNanos;
        if (pauseNanos > LOGGED_NANOS) {
            LOG.atWarn()
                    .addKeyValue("pause_ms", TimeUnit.NANOSECONDS.toMillis(pauseNanos))
                    .addKeyValue("input_read", read)
                    .log("the process was paused; leases expire after pending input has been read");
        }
        heldBack = false;
        inputRead = null;
    }
}
