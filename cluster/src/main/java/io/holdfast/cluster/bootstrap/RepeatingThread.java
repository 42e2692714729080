package io.holdfast.cluster.bootstrap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** A thread that repeats one task: after the delay that the task returns, or when it is woken. */
final class RepeatingThread {
    private static final Logger LOG = LoggerFactory.getLogger(RepeatingThread.class);
    private static final long AFTER_FAILURE_NANOS = 50_000_000L;

    private final Thread thread;
    private final LongSupplier task;
    private final AtomicBoolean wakeRequested = new AtomicBoolean();
    private volatile boolean ended;

    /**
     * @param task returns the delay until its next run, in nanoseconds
     */
    RepeatingThread(String name, LongSupplier task) {
        this.task = task;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Requests a run of the task; cheap enough to be called often. */
    void wake() {
        if (!wakeRequested.getAndSet(true)) {
            LockSupport.unpark(thread);
        }
    }

    void stop() {
        ended = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!ended) {
            wakeRequested.set(false);
            long pauseNanos;
            try {
                pauseNanos = task.getAsLong();
            } catch (RuntimeException | Error e) {
                // the thread must survive: without it the node would not notice that it is cut off
                LOG.atError().setCause(e).log("background task failed; retrying");
                pauseNanos = AFTER_FAILURE_NANOS;
            }
            if (!wakeRequested.get() && !ended && pauseNanos > 0) {
                LockSupport.parkNanos(pauseNanos);
            }
        }
    }
}
