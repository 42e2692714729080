package io.holdfast.client.internal.thread;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one at a time, in the order of submission. State that only tasks access needs no lock,
 * and a task that submits another one only queues it. Exceptions of tasks are logged.
 */
public final class SerialExecutor implements Executor {
    private static final Logger LOG = System.getLogger(SerialExecutor.class.getName());

    /** The maximum number of tasks that a submitting thread runs in sequence. */
    private static final int MAX_AT_ONCE = 256;

    private final Executor executor;
    private final boolean onCallers;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger open = new AtomicInteger();
    private volatile @Nullable Thread runner;

    private SerialExecutor(Executor executor, boolean onCallers) {
        this.executor = executor;
        this.onCallers = onCallers;
    }

    /** Runs the tasks on that executor, or on new threads if it rejects them. */
    public static SerialExecutor on(Executor executor) {
        return new SerialExecutor(executor, false);
    }

    /**
     * Runs the tasks on the submitting thread if no task is running at that moment; they must not
     * block. After {@link #MAX_AT_ONCE} tasks the remaining ones move to another executor, so that
     * no caller is kept for long.
     */
    public static SerialExecutor onCallers(Executor overflow) {
        return new SerialExecutor(overflow, true);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (open.getAndIncrement() > 0) {
            return;
        }
        if (onCallers) {
            drain();
        } else {
            execute(executor, this::drain);
        }
    }

    /** Whether the calling thread is running a task of this executor. */
    public boolean isCurrentThread() {
        return Thread.currentThread().equals(runner);
    }

    private void drain() {
        int done = 0;
        do {
            if (onCallers && done++ == MAX_AT_ONCE) {
                done = 0;
                if (handOff()) {
                    return;
                }
            }
            Runnable task = tasks.remove();
            runner = Thread.currentThread();
            guard(task);
            runner = null;
        } while (open.decrementAndGet() > 0);
    }

    private boolean handOff() {
        try {
            executor.execute(this::drain);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // the executor has been shut down: continue on this thread
        }
    }

    /** Runs the task on the executor, or on a new thread if the executor rejects it. */
    public static void execute(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            DaemonThreads.DAEMONS.newThread(task).start();
        }
    }

    /** Runs a callback; logs its exceptions. */
    public static void guard(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable e) { // an error must not stop the tasks that follow
            LOG.log(Level.WARNING, "a callback failed", e);
        }
    }
}
