package io.holdfast.engine.data;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;
import io.holdfast.engine.hash.FieldHash;
import io.holdfast.engine.hash.SequenceHash;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A deque in a ring buffer whose capacity doubles and halves: push and pop take amortized constant
 * time, and a list that was long once does not keep its memory.
 */
final class ListEntry extends DataEntry {
    private static final int HASHED_TYPE = 7;
    private static final int MIN_CAPACITY = 4;

    private @Nullable ByteString[] ring = new ByteString[MIN_CAPACITY];
    private int head;
    private int size;

    /** Null if the state has no hash. */
    private final @Nullable SequenceHash itemsHash;

    /**
     * @param hashed whether the state has a hash
     */
    ListEntry(Key key, boolean hashed) {
        super(key);
        this.itemsHash = hashed ? new SequenceHash() : null;
    }

    @Override
    protected void hashFields(FieldHash out) {
        hashEntry(HASHED_TYPE, out);
        out.number(size).number(itemsHash == null ? 0 : itemsHash.value());
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
        if (itemsHash != null) {
            long hash = new FieldHash().bytes(item.bytes()).value();
            switch (end) {
                case FRONT -> itemsHash.addFirst(hash);
                case BACK -> itemsHash.addLast(hash);
            }
        }
    }

    /** Removes and returns the item at an end of a non-empty list. */
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
        if (itemsHash != null) {
            long hash = new FieldHash().bytes(item.bytes()).value();
            switch (end) {
                case FRONT -> itemsHash.removeFirst(hash);
                case BACK -> itemsHash.removeLast(hash);
            }
        }
        if (size < ring.length / 4 && ring.length > MIN_CAPACITY) {
            resize(ring.length / 2);
        }
        return item;
    }

    ByteString item(int index) {
        return Objects.requireNonNull(ring[slot(index)]);
    }

    /** A copy of the items in {@code [from, to)}. */
    @SuppressWarnings("NullAway") // every index below the size has an item
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

    /** The slot of the item at an index. The length of the ring is a power of two. */
    private int slot(int index) {
        return (head + index) & (ring.length - 1);
    }
}
