package io.holdfast.client.wire;

import org.jspecify.annotations.Nullable;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one after the other, in the order in which they came, on the thread of whoever came
 * while nobody was at it; but nobody is kept at it for long, others go on then. No task may block.
 * A task that asks for another one only queues it.
 */
final class SerialTaskRunner {
    private static final System.Logger LOG = System.getLogger(SerialTaskRunner.class.getName());

    /** So many in one go on a thread that came for one. */
    private static final int MAX_AT_ONCE = 256;

    private final Executor others;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile @Nullable Thread runner;

    /**
     * @param others who go on where there is too much to do
     */
    SerialTaskRunner(Executor others) {
        this.others = others;
    }

    void run(Runnable task) {
        queue.add(task);
        if (waiting.getAndIncrement() == 0) {
            drain();
        }
    }

    /** Whether a task of ours is what the calling thread does. */
    boolean isHere() {
        return Thread.currentThread().equals(runner);
    }

    private void drain() {
        int done = 0;
        do {
            if (done++ == MAX_AT_ONCE) {
                done = 0;
                if (isPassedOn()) {
                    return;
                }
            }
            Runnable task = queue.remove();
            runner = Thread.currentThread();
            guard(task);
            runner = null;
        } while (waiting.decrementAndGet() > 0);
    }

    private boolean isPassedOn() {
        try {
            others.execute(this::drain);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // they have ended: there is nobody else
        }
    }

    /** Runs what others gave us: their failures are not ours. */
    static void guard(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "A callback failed", e);
        }
    }
}
