package io.holdfast.client.wire;

import java.lang.System.Logger;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one after the other, in the order they came, on the thread that found nobody at work.
 * Nobody is kept at it for long: others go on then. No task may block. What is only touched by
 * tasks needs no other lock, and a callback that comes back in is a later task, not a recursion.
 */
final class CallerRunsSerialExecutor implements Executor {
    private static final Logger LOG = System.getLogger(CallerRunsSerialExecutor.class.getName());

    /** So many in one go on a thread that came for one. */
    private static final int MAX_AT_ONCE = 256;

    private final Executor others;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger open = new AtomicInteger();
    private final ThreadLocal<Boolean> inside = ThreadLocal.withInitial(() -> false);

    /**
     * @param others who go on where there is too much to do
     */
    CallerRunsSerialExecutor(Executor others) {
        this.others = others;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (open.getAndIncrement() == 0) {
            runAll();
        }
    }

    private void runAll() {
        inside.set(true);
        try {
            int done = 0;
            do {
                if (done++ == MAX_AT_ONCE) {
                    done = 0;
                    if (isPassedOn()) {
                        return;
                    }
                }
                runNext();
            } while (open.decrementAndGet() != 0);
        } finally {
            inside.remove();
        }
    }

    private boolean isPassedOn() {
        try {
            others.execute(this::runAll);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // they have ended: there is nobody else
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
