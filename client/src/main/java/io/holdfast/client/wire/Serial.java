package io.holdfast.client.wire;

import org.jspecify.annotations.Nullable;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one after the other, in the order in which they came, on the thread of whoever came
 * while nobody was at it. No task may block. A task that asks for another one only queues it.
 */
final class Serial {
    private static final System.Logger LOG = System.getLogger(Serial.class.getName());

    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile @Nullable Thread runner;

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
        do {
            Runnable task = queue.remove();
            runner = Thread.currentThread();
            guard(task);
            runner = null;
        } while (waiting.decrementAndGet() > 0);
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
