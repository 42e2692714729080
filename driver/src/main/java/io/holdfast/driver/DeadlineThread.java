package io.holdfast.driver;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Sleeps until the earliest deadline of all shards, expires what is due, and collects idle keys.
 */
final class DeadlineThread {
    private static final Logger LOG = LoggerFactory.getLogger(DeadlineThread.class);

    private static final long PAUSE_AFTER_FAILURE_NANOS = 100_000_000L;

    private final List<Shard> shards;
    private final long collectEveryNanos;
    private final LongSupplier clock;
    private final ExpiryPause expiryPause;
    private final Thread thread;

    /**
     * The time until which the thread sleeps; written before it reads the deadlines of the shards.
     */
    private volatile long armedNanos = Long.MIN_VALUE;

    private volatile boolean closed;
    private long nextCollectNanos;

    DeadlineThread(
            List<Shard> shards,
            Duration collectEvery,
            LongSupplier clock,
            ExpiryPause expiryPause) {
        this.shards = shards;
        this.expiryPause = expiryPause;
        this.collectEveryNanos = nanos(collectEvery);
        this.clock = clock;
        this.thread = Thread.ofPlatform().daemon().name("holdfast-deadlines").unstarted(this::run);
    }

    private static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    void start() {
        nextCollectNanos = saturatedAdd(clock.getAsLong(), collectEveryNanos);
        expiryPause.onBegin(() -> LockSupport.unpark(thread));
        thread.start();
    }

    /** Wakes the thread if the new deadline of a shard is before its wake-up time. */
    void armBefore(long deadlineNanos) {
        if (deadlineNanos < armedNanos) {
            LockSupport.unpark(thread);
        }
    }

    void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            try {
                runOnce();
            } catch (RuntimeException | Error e) {
                LOG.atError().setCause(e).log("expiring deadlines failed; retrying");
                LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
            }
        }
    }

    private void runOnce() {
        expiryPause.check();
        long now = clock.getAsLong();
        for (Shard shard : shards) {
            if (shard.wakeAtNanos() <= now) {
                shard.tick();
            }
        }
        if (nextCollectNanos <= now) {
            for (Shard shard : shards) {
                shard.collect();
            }
            nextCollectNanos = saturatedAdd(clock.getAsLong(), collectEveryNanos);
        }
        // An earlier deadline set from now on is either read below, or its thread reads armedNanos.
        armedNanos = Long.MAX_VALUE;
        long wakeAt = Long.MAX_VALUE;
        for (Shard shard : shards) {
            wakeAt = Math.min(wakeAt, shard.wakeAtNanos());
        }
        long from = clock.getAsLong();
        boolean wakesForAny = expiryPause.isUsed() && wakeAt == Long.MAX_VALUE;
        if (expiryPause.isUsed() && !wakesForAny) {
            wakeAt = Math.min(wakeAt, from + ExpiryPause.CHECK_INTERVAL_NANOS);
        }
        expiryPause.nextCheckBy(wakesForAny ? wakeAt : Math.max(wakeAt, from));
        wakeAt = Math.min(wakeAt, nextCollectNanos);
        armedNanos = wakesForAny ? Long.MAX_VALUE : wakeAt;
        long durationNanos = wakeAt - from;
        if (durationNanos > 0 && !closed) {
            LockSupport.parkNanos(this, durationNanos);
        }
    }

    private static long saturatedAdd(long time, long durationNanos) {
        long sum = time + durationNanos;
        return sum < time ? Long.MAX_VALUE : sum;
    }
}
