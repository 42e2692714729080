package io.holdfast.lockfile;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs things later, for all locks of the JVM. One thread watches the time, and each thing runs in
 * another: a file system that hangs holds up nobody else. No thread stays when there is nothing to
 * do, or keeps the JVM alive.
 */
final class Heartbeats {
    private static final long IDLE_SECONDS = 5;
    private static final ThreadFactory DAEMONS =
            task -> {
                var thread = new Thread(task, "holdfast-lockfile");
                thread.setDaemon(true);
                return thread;
            };
    private static final ScheduledThreadPoolExecutor TIMER = timer();
    private static final ExecutorService WORKERS =
            new ThreadPoolExecutor(
                    0,
                    Integer.MAX_VALUE,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    DAEMONS);

    private Heartbeats() {}

    private static ScheduledThreadPoolExecutor timer() {
        var timer = new ScheduledThreadPoolExecutor(1, DAEMONS);
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    static Future<?> later(Duration delay, Runnable task) {
        return TIMER.schedule(() -> WORKERS.execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    }
}
