package io.holdfast.driver;

import io.holdfast.engine.Quotas;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The usage of one client over all shards. A client is a connection or a session that outlives
 * connections.
 */
public final class ClientUsage implements Quotas.Client {
    /** What is counted. */
    public enum Counted {
        /** Locks and semaphores that it created and that still exist. */
        NAME,
        HOLD,
        WAIT,
        /** Counters, values and lists that it created and that still exist. */
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
     * Counts one more, unless the limit is reached.
     *
     * @param limit 0 is no limit
     */
    boolean tryAdd(Counted item, int limit) {
        AtomicInteger count = count(item);
        int now = count.get();
        while (limit == 0 || now < limit) { // a refused one must never be visible in the count
            if (count.compareAndSet(now, now + 1)) {
                return true;
            }
            now = count.get();
        }
        return false;
    }

    /** Counts one more, even above the limit. */
    public void add(Counted item) {
        count(item).incrementAndGet();
    }

    public void release(Counted item) {
        count(item).decrementAndGet();
    }

    /** Whether the limit is reached; 0 is no limit. */
    public boolean isFull(Counted item, int limit) {
        return limit > 0 && count(item).get() >= limit;
    }
}
