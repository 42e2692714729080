package io.holdfast.lockfile;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs delayed and background tasks for all locks of the JVM. A single timer thread hands each due
 * task to a pool thread, so that a file system that hangs delays the tasks of other locks only when
 * all {@link #MAX_HEARTBEAT_THREADS} threads hang. All threads are daemon threads.
 */
final class BackgroundTasks {
    private static final long IDLE_SECONDS = 5;
    private static final int MAX_HEARTBEAT_THREADS = 64;
    private static final ThreadFactory DAEMONS =
            task -> {
                var thread = new Thread(task, "holdfast-lockfile");
                thread.setDaemon(true);
                return thread;
            };
    private static final ScheduledThreadPoolExecutor TIMER = timer();

    /** When the last scheduled empty task is or was due, by {@link System#nanoTime}. */
    @GuardedBy("BackgroundTasks.class")
    private static long emptyTaskAt = System.nanoTime();

    /** Runs the heartbeats; when all its threads hang, further heartbeats are queued. */
    private static final ThreadPoolExecutor HEARTBEAT_POOL =
            new ThreadPoolExecutor(
                    MAX_HEARTBEAT_THREADS,
                    MAX_HEARTBEAT_THREADS,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    DAEMONS);

    /**
     * Runs calls on behalf of threads that wait for their result, so it has at most as many threads
     * as there are callers.
     */
    private static final ExecutorService HELPERS =
            new ThreadPoolExecutor(
                    0,
                    Integer.MAX_VALUE,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    DAEMONS);

    static {
        HEARTBEAT_POOL.allowCoreThreadTimeOut(true);
    }

    private BackgroundTasks() {}

    private static ScheduledThreadPoolExecutor timer() {
        var timer = new ScheduledThreadPoolExecutor(1, DAEMONS);
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    static Future<?> later(Duration delay, Runnable task) {
        scheduleEmptyTask(delay.toNanos());
        return TIMER.schedule(() -> start(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Schedules an empty task that is due no later than the one to be scheduled. A task that
     * becomes the first of the timer's queue wakes the timer thread, which is the most expensive
     * part of scheduling. When locks are acquired and released quickly, each heartbeat would be the
     * first task, and would be cancelled long before it is due. With an empty task at the head of
     * the queue they no longer wake the thread.
     */
    private static synchronized void scheduleEmptyTask(long delayNanos) {
        long now = System.nanoTime();
        if (emptyTaskAt - now <= 0 || now + delayNanos - emptyTaskAt < 0) {
            emptyTaskAt = now + delayNanos;
            TIMER.schedule(() -> {}, delayNanos, TimeUnit.NANOSECONDS);
        }
    }

    private static void start(Runnable task) {
        try {
            HEARTBEAT_POOL.execute(task);
        } catch (OutOfMemoryError e) {
            task.run(); // no thread can be created: run it in the timer thread
        }
    }

    /** Runs the task soon, in a thread that no other task needs. */
    static void run(Runnable task) {
        HELPERS.execute(task);
    }

    /**
     * Runs the action in a thread that is never interrupted, and waits for its end; an interrupt of
     * the caller is restored after it.
     */
    static <T> T call(LockFileSystem.Action<T> action) throws IOException {
        var task = new FutureTask<>(action::run);
        HELPERS.execute(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw cause(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static IOException cause(ExecutionException e) {
        if (e.getCause() instanceof RuntimeException failure) {
            throw failure;
        }
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return e.getCause() instanceof IOException failure
                ? failure
                : new IOException(e.getCause());
    }
}
