package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.TimerClock;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The system clock. */
final class SystemClock implements TimerClock, AutoCloseable {
    private final ScheduledExecutorService timers =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        var thread = new Thread(task, "test timer");
                        thread.setDaemon(true);
                        return thread;
                    });

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        var scheduled = timers.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    @Override
    public void close() {
        timers.shutdownNow();
    }
}
