package io.holdfast.client;

import io.holdfast.client.internal.service.TimerClock;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The monotonic clock of the machine, and a thread that runs timers. */
final class SystemTimerClock implements TimerClock {
    private static final Logger LOG = System.getLogger(SystemTimerClock.class.getName());

    private final ScheduledThreadPoolExecutor timers;

    SystemTimerClock() {
        timers =
                new ScheduledThreadPoolExecutor(
                        1,
                        task -> {
                            var thread = new Thread(task, "holdfast-timer");
                            thread.setDaemon(true);
                            return thread;
                        });
        timers.setRemoveOnCancelPolicy(true);
        timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        try {
            var scheduled = timers.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException e) {
            return () -> {}; // closed: timers do not run any more
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a timer task failed", e);
        }
    }

    void close() {
        timers.shutdownNow();
    }
}
