package io.holdfast.client.wire;

import java.lang.System.Logger;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one at a time, in the order of submission, on the submitting thread if no task is
 * running at that moment. After {@link #MAX_AT_ONCE} tasks the remaining ones move to another
 * executor, so that no caller is kept for long. Tasks must not block. State that only tasks access
 * needs no lock, and a task that submits another one queues it instead of calling it recursively.
 */
final class CallerRunsSerialExecutor implements Executor {
    private static final Logger LOG = System.getLogger(CallerRunsSerialExecutor.class.getName());

    /** The maximum number of tasks that a submitting thread runs in sequence. */
    private static final int MAX_AT_ONCE = 256;

    private final Executor overflow;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger open = new AtomicInteger();
    private final ThreadLocal<Boolean> inside = ThreadLocal.withInitial(() -> false);

    /**
     * @param overflow continues after {@link #MAX_AT_ONCE} tasks
     */
    CallerRunsSerialExecutor(Executor overflow) {
        this.overflow = overflow;
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
                    if (handOff()) {
                        return;
                    }
                }
                runNext();
            } while (open.decrementAndGet() != 0);
        } finally {
            inside.remove();
        }
    }

    private boolean handOff() {
        try {
            overflow.execute(this::runAll);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // the executor has been shut down: continue on this thread
        }
    }

    /** Whether the calling thread is running a task of this executor. */
    boolean isCurrentThread() {
        return inside.get();
    }

    private void runNext() {
        Runnable task = tasks.poll();
        if (task == null) {
            return;
        }
        try {
            task.run();
        } catch (Throwable e) { // an error must not stop the tasks that follow
            LOG.log(Logger.Level.ERROR, "a callback failed", e);
        }
    }
}
