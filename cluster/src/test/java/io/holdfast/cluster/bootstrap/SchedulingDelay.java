package io.holdfast.cluster.bootstrap;

import java.time.Duration;

/**
 * Measures how long a thread that could run had to wait for a processor. On a machine that has more
 * work than processors, nodes miss heartbeats for that reason alone.
 */
final class SchedulingDelay implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 10;

    private final Thread thread = new Thread(this::measure, "scheduling-delay");
    private volatile long longestNanos;

    SchedulingDelay() {
        thread.setDaemon(true);
        thread.start();
    }

    private void measure() {
        try {
            long before = System.nanoTime();
            while (true) {
                Thread.sleep(INTERVAL_MILLIS);
                long now = System.nanoTime();
                longestNanos = Math.max(longestNanos, now - before);
                before = now;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the longest delay so far. */
    Duration longest() {
        return Duration.ofNanos(longestNanos);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
