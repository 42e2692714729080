package io.holdfast.lockfile;

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
 * Runs things later or elsewhere, for all locks of the JVM. One thread watches the time, and each
 * thing runs in another, so that a file system that hangs holds up the others late if at all. No
 * thread keeps the JVM alive.
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

    /** When a task that does nothing is due, by {@link System#nanoTime}; or was. */
    private static long emptyTaskAt = System.nanoTime();

    /** For heartbeats: when so many of them hang, the others wait. */
    private static final ThreadPoolExecutor HEARTBEAT_POOL =
            new ThreadPoolExecutor(
                    MAX_HEARTBEAT_THREADS,
                    MAX_HEARTBEAT_THREADS,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    DAEMONS);

    /** For threads that wait for them: never more than there are of those. */
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
        keepTimerAsleep(delay.toNanos());
        return TIMER.schedule(() -> start(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * The timer is woken by each task that is due before all others, which costs more than all else
     * here. Where locks come and go, each heartbeat would be such a task, and cancelled long before
     * it is due. So the first one leaves behind one that does nothing.
     */
    private static synchronized void keepTimerAsleep(long delayNanos) {
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
            task.run(); // no thread to be had: late is better than never
        }
    }

    /** Soon, in a thread that nothing else needs. */
    static void run(Runnable task) {
        HELPERS.execute(task);
    }

    /** Does it in a thread that nobody interrupts, and waits for it, come what may. */
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
