package io.holdfast.client.testing.internal;

import io.holdfast.client.internal.service.TimerClock;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.TreeSet;

/** A manual clock. Due tasks run in order on the thread that advances the clock. */
public final class MemoryClock implements TimerClock {
    private record Entry(long due, long order, Runnable task) {}

    private final TreeSet<Entry> entries =
            new TreeSet<>(Comparator.comparingLong(Entry::due).thenComparingLong(Entry::order));
    private final Object advancing = new Object();
    private long now = 1_000_000_000L;
    private long orders;

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized Timer schedule(long delayNanos, Runnable task) {
        var entry = new Entry(later(now, delayNanos), ++orders, task);
        entries.add(entry);
        return () -> cancel(entry);
    }

    private synchronized void cancel(Entry entry) {
        entries.remove(entry);
    }

    /** Advances the clock; {@code afterEach} runs after each task that became due. */
    public void advance(long nanos, Runnable afterEach) {
        synchronized (advancing) {
            long target = later(nanoTime(), nanos);
            for (var due = next(target); due != null; due = next(target)) {
                due.run();
                afterEach.run();
            }
        }
    }

    private synchronized @Nullable Runnable next(long target) {
        if (entries.isEmpty() || entries.first().due() > target) {
            now = target;
            return null;
        }
        var first = entries.pollFirst();
        now = Math.max(now, first.due());
        return first.task();
    }

    private static long later(long now, long nanos) {
        long sum = now + Math.max(0, nanos);
        return sum < now ? Long.MAX_VALUE : sum;
    }
}
