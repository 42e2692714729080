package io.holdfast.cluster.simulation;

import java.util.PriorityQueue;
import java.util.Random;

/** True time, which advances from event to event, and the random choices of one run. */
final class SimulatedTime {
    static final long MILLI = 1_000_000L;
    static final long SECOND = 1000 * MILLI;

    /** The first numbers of {@link Random} are about the same for seeds that are close together. */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private record Event(long atNanos, long number, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int order = Long.compare(atNanos, other.atNanos);
            return order == 0 ? Long.compare(number, other.number) : order;
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Random random;
    private long now;
    private long lastNumber;

    SimulatedTime(long seed) {
        this.random = new Random(seed * SPREAD);
    }

    long now() {
        return now;
    }

    void after(long delayNanos, Runnable task) {
        events.add(new Event(now + delayNanos, ++lastNumber, task));
    }

    /** Advances the time and runs all events until then. */
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

    // ---- random choices

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** Returns a number from {@code min} to {@code max}, both included. */
    int pick(int min, int max) {
        return min + random.nextInt(max - min + 1);
    }

    long randomDuration(long minNanos, long maxNanos) {
        return random.nextLong(minNanos, maxNanos + 1);
    }

    double between(double min, double max) {
        return min + random.nextDouble() * (max - min);
    }

    long number() {
        return random.nextLong();
    }
}
