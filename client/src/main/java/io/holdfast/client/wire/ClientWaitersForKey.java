package io.holdfast.client.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.TreeMap;

/**
 * Those of this client that wait for one key, in the order they came. Only the first of those
 * without a place at the server may ask for one: two connections would overtake each other.
 */
final class ClientWaitersForKey {
    private final TreeMap<Long, PlainAttempt> notEnqueued = new TreeMap<>();
    private int enqueued;

    void add(PlainAttempt attempt) {
        notEnqueued.put(attempt.number(), attempt);
    }

    void remove(PlainAttempt attempt) {
        notEnqueued.remove(attempt.number());
    }

    @Nullable PlainAttempt first() {
        Map.Entry<Long, PlainAttempt> first = notEnqueued.firstEntry();
        return first == null ? null : first.getValue();
    }

    /** The server has told it that it stands in line. */
    void markEnqueued(PlainAttempt attempt) {
        remove(attempt);
        enqueued++;
    }

    /** A place was used or given up. */
    void unmarkEnqueued() {
        enqueued--;
    }

    /** Whether anybody of this client stands in line at the server. */
    boolean hasEnqueued() {
        return enqueued > 0;
    }

    boolean isEmpty() {
        return notEnqueued.isEmpty() && enqueued == 0;
    }
}
