package io.holdfast.cluster.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/** True time, which jumps from one event to the next, and the dice of one run. */
final class SimulatedTime {
    static final long MILLI = 1_000_000L;
    static final long SECOND = 1000 * MILLI;

    private record Event(long atNanos, long number, Runnable task) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::number));
    private final Random random;
    private long now;
    private long lastNumber;

    SimulatedTime(long seed) {
        this.random = new Random(seed);
    }

    long now() {
        return now;
    }

    void after(long delayNanos, Runnable task) {
        events.add(new Event(now + delayNanos, ++lastNumber, task));
    }

    /** Lets time pass until then, with all that happens. */
    void runUntil(long endNanos) {
        for (Event next = events.peek();
                next != null && next.atNanos() <= endNanos;
                next = events.peek()) {
            events.remove();
            now = next.atNanos();
            next.task().run();
        }
        now = Math.max(now, endNanos);
    }

    // ---- dice

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** From {@code least} to {@code most}, both included. */
    int pick(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    long span(long leastNanos, long mostNanos) {
        return random.nextLong(leastNanos, mostNanos + 1);
    }

    double between(double least, double most) {
        return least + random.nextDouble() * (most - least);
    }

    long number() {
        return random.nextLong();
    }
}
