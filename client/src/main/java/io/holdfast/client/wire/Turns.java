package io.holdfast.client.wire;

import java.lang.System.Logger;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one after the other, in the order they came, on the thread that found nobody at work.
 * No task may block. What is only touched by tasks needs no other lock, and a callback that comes
 * back in is a later task, not a recursion.
 */
final class Turns implements Executor {
    private static final Logger LOG = System.getLogger(Turns.class.getName());

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger open = new AtomicInteger();
    private final ThreadLocal<Boolean> inside = ThreadLocal.withInitial(() -> false);

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (open.getAndIncrement() != 0) {
            return;
        }
        inside.set(true);
        try {
            do {
                runNext();
            } while (open.decrementAndGet() != 0);
        } finally {
            inside.remove();
        }
    }

    /** Whether the calling thread is running a task now. */
    boolean isMine() {
        return inside.get();
    }

    private void runNext() {
        Runnable task = tasks.poll();
        if (task == null) {
            return;
        }
        try {
            task.run();
        } catch (Throwable e) { // even an error must not keep the others from their turn
            LOG.log(Logger.Level.ERROR, "a callback failed", e);
        }
    }
}
