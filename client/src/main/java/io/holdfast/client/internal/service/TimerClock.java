package io.holdfast.client.internal.service;

/** A monotonic clock and a timer that uses it. */
public interface TimerClock {
    long nanoTime();

    /**
     * Runs the task, which must not block, after the delay unless the timer is cancelled before.
     */
    Timer schedule(long delayNanos, Runnable task);

    /** A scheduled task. */
    interface Timer {
        void cancel();
    }
}
