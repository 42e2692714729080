package io.holdfast.client.service;

/** A monotonic clock and a timer that goes by it. */
public interface TimerClock {
    long nanoTime();

    /** Runs the task, which must not block, after the delay, unless cancelled before. */
    Timer schedule(long delayNanos, Runnable task);

    /** Something scheduled. */
    interface Timer {
        void cancel();
    }
}
