package io.holdfast.client;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Runs tasks on an executor, one at a time and in order; exceptions are logged. */
final class SerialExecutor implements Executor {
    private static final Logger LOG = System.getLogger(SerialExecutor.class.getName());

    private final Executor executor;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    SerialExecutor(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        onExecutor(executor, this::runAll);
    }

    private void runAll() {
        while (true) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.poll();
                if (task == null) {
                    running = false;
                    return;
                }
            }
            try {
                task.run();
            } catch (Throwable e) {
                LOG.log(Level.WARNING, "a callback failed", e);
            }
        }
    }

    /** Runs the task on the executor, or on a new thread if the executor rejects it. */
    static void onExecutor(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            DaemonThreads.DAEMONS.newThread(task).start();
        }
    }
}
