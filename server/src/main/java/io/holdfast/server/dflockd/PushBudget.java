package io.holdfast.server.dflockd;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory for signals that listeners have not read yet, over all connections, in addition
 * to the limit of each. When more than half of it is used, the listener with the most unread bytes
 * is disconnected.
 */
final class PushBudget {
    private final long maxBytes;
    private final AtomicLong used = new AtomicLong();
    private final Set<PushQueue> behind = ConcurrentHashMap.newKeySet();

    /** Bytes of listeners that are being disconnected and are not closed yet. */
    @GuardedBy("this")
    private long disconnectingBytes;

    PushBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    void reserve(int bytes) {
        if (used.addAndGet(bytes) > maxBytes / 2 && !behind.isEmpty()) {
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
        return used.get() > maxBytes;
    }

    /** Records whether a listener has many unread bytes. */
    void setBehind(PushQueue queue, boolean isBehind) {
        if (isBehind) {
            behind.add(queue);
        } else if (!behind.isEmpty()) {
            behind.remove(queue);
        }
    }

    /**
     * Disconnects the listener with the most unread bytes, unless those being disconnected free
     * enough.
     */
    private synchronized void relieve() {
        if (used.get() - disconnectingBytes <= maxBytes / 2) {
            return;
        }
        PushQueue slowest = null;
        long debt = 0;
        for (PushQueue queue : behind) {
            long bytes = queue.debtBytes();
            if (bytes > debt) {
                slowest = queue;
                debt = bytes;
            }
        }
        if (slowest != null) {
            behind.remove(slowest);
            if (slowest.overrun(debt)) {
                disconnectingBytes += debt;
            }
        }
    }

    /** A listener that was disconnected because of this debt is closed. */
    synchronized void left(long debtBytes) {
        disconnectingBytes -= debtBytes;
    }
}
