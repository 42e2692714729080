package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A list with two ends, in a ring that grows and shrinks by half: pushing and popping cost the same
 * however long it is, and a list that was long once does not stay large.
 */
final class ListEntry extends DataEntry {
    private static final int MIN_CAPACITY = 4;

    private @Nullable ByteString[] ring = new ByteString[MIN_CAPACITY];
    private int head;
    private int size;

    ListEntry(Key key) {
        super(key);
    }

    int size() {
        return size;
    }

    void push(DataOperation.End end, ByteString item) {
        if (size == ring.length) {
            resize(2 * ring.length);
        }
        switch (end) {
            case FRONT -> {
                head = slot(ring.length - 1);
                ring[head] = item;
            }
            case BACK -> ring[slot(size)] = item;
        }
        size++;
    }

    /** Takes out the item at an end of a list that is not empty. */
    ByteString pop(DataOperation.End end) {
        int slot =
                switch (end) {
                    case FRONT -> head;
                    case BACK -> slot(size - 1);
                };
        ByteString item = Objects.requireNonNull(ring[slot]);
        ring[slot] = null;
        if (end == DataOperation.End.FRONT) {
            head = slot(1);
        }
        size--;
        if (size < ring.length / 4 && ring.length > MIN_CAPACITY) {
            resize(ring.length / 2);
        }
        return item;
    }

    ByteString item(int place) {
        return Objects.requireNonNull(ring[slot(place)]);
    }

    /** A copy of the items in {@code [from, to)}. */
    @SuppressWarnings("NullAway") // every place below the size has an item
    List<ByteString> range(int from, int to) {
        return Collections.unmodifiableList(Arrays.asList(copy(from, to, to - from)));
    }

    private void resize(int length) {
        ring = copy(0, size, length);
        head = 0;
    }

    private @Nullable ByteString[] copy(int from, int to, int length) {
        @Nullable ByteString[] copy = new ByteString[length];
        int start = slot(from);
        int beforeEnd = Math.min(to - from, ring.length - start);
        System.arraycopy(ring, start, copy, 0, beforeEnd);
        System.arraycopy(ring, 0, copy, beforeEnd, to - from - beforeEnd);
        return copy;
    }

    /** Where the item at a place stands. The length is a power of two. */
    private int slot(int place) {
        return (head + place) & (ring.length - 1);
    }
}
