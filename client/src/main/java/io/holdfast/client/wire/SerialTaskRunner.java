package io.holdfast.client.wire;

import org.jspecify.annotations.Nullable;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one at a time, in the order of submission, on the submitting thread if no task is
 * running at that moment. After {@link #MAX_AT_ONCE} tasks the remaining ones move to another
 * executor, so that no caller is kept for long. Tasks must not block. A task that submits another
 * one only queues it.
 */
final class SerialTaskRunner {
    private static final System.Logger LOG = System.getLogger(SerialTaskRunner.class.getName());

    /** The maximum number of tasks that a submitting thread runs in sequence. */
    private static final int MAX_AT_ONCE = 256;

    private final Executor overflow;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile @Nullable Thread runner;

    /**
     * @param overflow continues after {@link #MAX_AT_ONCE} tasks
     */
    SerialTaskRunner(Executor overflow) {
        this.overflow = overflow;
    }

    void run(Runnable task) {
        queue.add(task);
        if (waiting.getAndIncrement() == 0) {
            drain();
        }
    }

    /** Whether the calling thread is running a task of this runner. */
    boolean isCurrentThread() {
        return Thread.currentThread().equals(runner);
    }

    private void drain() {
        int done = 0;
        do {
            if (done++ == MAX_AT_ONCE) {
                done = 0;
                if (handOff()) {
                    return;
                }
            }
            Runnable task = queue.remove();
            runner = Thread.currentThread();
            guard(task);
            runner = null;
        } while (waiting.decrementAndGet() > 0);
    }

    private boolean handOff() {
        try {
            overflow.execute(this::drain);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // the executor has been shut down: continue on this thread
        }
    }

    /** Runs a callback; logs its exceptions. */
    static void guard(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "A callback failed", e);
        }
    }
}
