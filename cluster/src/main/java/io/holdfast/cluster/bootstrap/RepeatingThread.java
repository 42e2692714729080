package io.holdfast.cluster.bootstrap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** A thread that does one task again and again: when it is woken, and when it said it would. */
final class RepeatingThread {
    private static final Logger LOG = LoggerFactory.getLogger(RepeatingThread.class);
    private static final long AFTER_FAILURE_NANOS = 50_000_000L;

    private final Thread thread;
    private final LongSupplier task;
    private final AtomicBoolean wanted = new AtomicBoolean();
    private volatile boolean ended;

    /**
     * @param task says how many nanoseconds later it wants to be done again
     */
    RepeatingThread(String name, LongSupplier task) {
        this.task = task;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Has the task done soon; called often. */
    void wake() {
        if (!wanted.getAndSet(true)) {
            LockSupport.unpark(thread);
        }
    }

    void stop() {
        ended = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!ended) {
            wanted.set(false);
            long pauseNanos;
            try {
                pauseNanos = task.getAsLong();
            } catch (RuntimeException | Error e) { // without it the node would not know its end
                LOG.atError().setCause(e).log("background task failed; retrying");
                pauseNanos = AFTER_FAILURE_NANOS;
            }
            if (!wanted.get() && !ended && pauseNanos > 0) {
                LockSupport.parkNanos(pauseNanos);
            }
        }
    }
}
