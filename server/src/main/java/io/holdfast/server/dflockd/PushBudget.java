package io.holdfast.server.dflockd;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for what listeners were sent and have not taken, over all connections. Each has a limit of
 * its own, but all together must not fill the memory: when the budget is tight, the listener that
 * is behind the most is cut off, whoever the next line is for.
 */
final class PushBudget {
    private final long mostBytes;
    private final AtomicLong used = new AtomicLong();
    private final Set<PushQueue> behind = ConcurrentHashMap.newKeySet();

    /** What those have who were cut off and are not closed yet. Guarded by this. */
    private long leaving;

    PushBudget(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    void reserve(int bytes) {
        if (used.addAndGet(bytes) > mostBytes / 2 && !behind.isEmpty()) {
            relieve();
        }
    }

    void release(int bytes) {
        used.addAndGet(-bytes);
    }

    long usedBytes() {
        return used.get();
    }

    boolean isExhausted() {
        return used.get() > mostBytes;
    }

    /** Says whether a listener has not taken a good deal of what it was sent. */
    void setBehind(PushQueue queue, boolean isBehind) {
        if (isBehind) {
            behind.add(queue);
        } else if (!behind.isEmpty()) {
            behind.remove(queue);
        }
    }

    /** Cuts off the one that is behind the most, unless those on their way out are enough. */
    private synchronized void relieve() {
        if (used.get() - leaving <= mostBytes / 2) {
            return;
        }
        PushQueue worst = null;
        long debt = 0;
        for (PushQueue queue : behind) {
            long bytes = queue.debtBytes();
            if (bytes > debt) {
                worst = queue;
                debt = bytes;
            }
        }
        if (worst != null) {
            behind.remove(worst);
            if (worst.overrun(debt)) {
                leaving += debt;
            }
        }
    }

    /** Somebody who was cut off with this debt is closed. */
    synchronized void left(long debtBytes) {
        leaving -= debtBytes;
    }
}
