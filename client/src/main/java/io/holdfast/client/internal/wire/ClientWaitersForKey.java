package io.holdfast.client.internal.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.TreeMap;

/**
 * The acquires of this client that wait for one key, in order. Only the first of those that are not
 * in the server's queue yet may enqueue there: two on different connections could overtake each
 * other.
 */
final class ClientWaitersForKey {
    private final TreeMap<Long, PlainAcquireAttempt> notEnqueued = new TreeMap<>();
    private int enqueued;

    void add(PlainAcquireAttempt attempt) {
        notEnqueued.put(attempt.number(), attempt);
    }

    void remove(PlainAcquireAttempt attempt) {
        notEnqueued.remove(attempt.number());
    }

    @Nullable PlainAcquireAttempt first() {
        Map.Entry<Long, PlainAcquireAttempt> first = notEnqueued.firstEntry();
        return first == null ? null : first.getValue();
    }

    /** The server has confirmed that the attempt is in its queue. */
    void markEnqueued(PlainAcquireAttempt attempt) {
        remove(attempt);
        enqueued++;
    }

    /** An enqueued attempt was granted or has ended. */
    void unmarkEnqueued() {
        enqueued--;
    }

    /** Whether an attempt of this client is in the server's queue. */
    boolean hasEnqueued() {
        return enqueued > 0;
    }

    boolean isEmpty() {
        return notEnqueued.isEmpty() && enqueued == 0;
    }
}
