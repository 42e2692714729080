package io.holdfast.driver;

import io.holdfast.engine.Quotas;

import java.util.concurrent.atomic.AtomicInteger;

/** What one client has, over all shards: a connection, or a session that outlives connections. */
public final class ClientUsage implements Quotas.Client {
    /** What is counted. */
    public enum Counted {
        /** Names of locks and semaphores that it made and that are still remembered. */
        NAME,
        HOLD,
        WAIT,
        /** Counters, values and lists that it made. */
        ENTRY
    }

    private final AtomicInteger names = new AtomicInteger();
    private final AtomicInteger holds = new AtomicInteger();
    private final AtomicInteger waits = new AtomicInteger();
    private final AtomicInteger entries = new AtomicInteger();

    private AtomicInteger count(Counted item) {
        return switch (item) {
            case NAME -> names;
            case HOLD -> holds;
            case WAIT -> waits;
            case ENTRY -> entries;
        };
    }

    /**
     * Counts one more, unless there are as many as may be.
     *
     * @param most 0 is no limit
     */
    boolean take(Counted item, int most) {
        AtomicInteger count = count(item);
        int now = count.get();
        while (most == 0 || now < most) { // a refused one must never show in the count
            if (count.compareAndSet(now, now + 1)) {
                return true;
            }
            now = count.get();
        }
        return false;
    }

    /** Counts one more, however many there are. */
    public void add(Counted item) {
        count(item).incrementAndGet();
    }

    public void giveBack(Counted item) {
        count(item).decrementAndGet();
    }

    /** Whether there are as many as may be. */
    public boolean isFull(Counted item, int most) {
        return most > 0 && count(item).get() >= most;
    }
}
