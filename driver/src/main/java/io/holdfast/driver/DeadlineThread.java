package io.holdfast.driver;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Sleeps until the earliest deadline of all shards, ends what is due, and collects idle keys. */
final class DeadlineThread {
    private static final Logger LOG = LoggerFactory.getLogger(DeadlineThread.class);

    private static final long PAUSE_AFTER_FAILURE_NANOS = 100_000_000L;

    private final List<Shard> shards;
    private final long collectEveryNanos;
    private final LongSupplier clock;
    private final ExpiryPause hold;
    private final Thread thread;

    /** The time until which the thread sleeps; written before it looks at the shards. */
    private volatile long armedNanos = Long.MIN_VALUE;

    private volatile boolean closed;
    private long nextCollectNanos;

    DeadlineThread(
            List<Shard> shards, Duration collectEvery, LongSupplier clock, ExpiryPause hold) {
        this.shards = shards;
        this.hold = hold;
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
        hold.onBegin(() -> LockSupport.unpark(thread));
        thread.start();
    }

    /** A shard has a deadline that is earlier than those before. */
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
        hold.look();
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
        // A shard that gets an earlier deadline now either is seen below or sees armedNanos.
        armedNanos = Long.MAX_VALUE;
        long wakeAt = Long.MAX_VALUE;
        for (Shard shard : shards) {
            wakeAt = Math.min(wakeAt, shard.wakeAtNanos());
        }
        long from = clock.getAsLong();
        boolean wakesForAny = hold.isUsed() && wakeAt == Long.MAX_VALUE;
        if (hold.isUsed() && !wakesForAny) {
            wakeAt = Math.min(wakeAt, from + ExpiryPause.LOOK_EVERY_NANOS);
        }
        hold.looksBy(wakesForAny ? wakeAt : Math.max(wakeAt, from));
        wakeAt = Math.min(wakeAt, nextCollectNanos);
        armedNanos = wakesForAny ? Long.MAX_VALUE : wakeAt;
        long span = wakeAt - from;
        if (span > 0 && !closed) {
            LockSupport.parkNanos(this, span);
        }
    }

    private static long saturatedAdd(long time, long span) {
        long sum = time + span;
        return sum < time ? Long.MAX_VALUE : sum;
    }
}
