package io.holdfast.client.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.TreeMap;

/**
 * Those of this client that wait for one key, in the order they came. Only the first of those
 * without a place at the server may ask for one: two connections would overtake each other.
 */
final class KeyLine {
    private final TreeMap<Long, PlainAttempt> withoutPlace = new TreeMap<>();
    private int placed;

    void add(PlainAttempt attempt) {
        withoutPlace.put(attempt.number(), attempt);
    }

    void remove(PlainAttempt attempt) {
        withoutPlace.remove(attempt.number());
    }

    @Nullable PlainAttempt first() {
        Map.Entry<Long, PlainAttempt> first = withoutPlace.firstEntry();
        return first == null ? null : first.getValue();
    }

    /** The server has told it that it stands in line. */
    void place(PlainAttempt attempt) {
        remove(attempt);
        placed++;
    }

    /** A place was used or given up. */
    void unplace() {
        placed--;
    }

    /** Whether anybody of this client stands in line at the server. */
    boolean hasPlaces() {
        return placed > 0;
    }

    boolean isEmpty() {
        return withoutPlace.isEmpty() && placed == 0;
    }
}
