package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.TimerClock;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A manual clock; due tasks run before {@link #advance} returns. */
final class ManualClock implements TimerClock {
    private final PriorityQueue<Due> due =
            new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::number));
    private long now = 1;
    private long numbers;

    private record Due(long at, long number, Runnable task) {}

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized Timer schedule(long delayNanos, Runnable task) {
        var entry = new Due(now + delayNanos, numbers++, task);
        due.add(entry);
        return () -> {
            synchronized (this) {
                due.remove(entry);
            }
        };
    }

    void advance(Duration span) {
        long end = nanoTime() + span.toNanos();
        for (Due next = next(end); next != null; next = next(end)) {
            next.task().run();
        }
        synchronized (this) {
            now = end;
        }
    }

    private synchronized Due next(long end) {
        Due first = due.peek();
        if (first == null || first.at() > end) {
            return null;
        }
        now = Math.max(now, first.at());
        return due.poll();
    }
}
