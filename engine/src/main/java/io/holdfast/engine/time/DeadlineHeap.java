package io.holdfast.engine.time;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * A binary heap whose entries store their index, so that any entry can be removed in logarithmic
 * time.
 */
final class DeadlineHeap {
    private static final int MIN_CAPACITY = 16;

    private @Nullable Deadline[] entries = new Deadline[MIN_CAPACITY];
    private int size;

    int size() {
        return size;
    }

    @Nullable Deadline first() {
        return entries[0];
    }

    void add(Deadline entry) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, 2 * size);
        }
        siftUp(size++, entry);
    }

    void remove(Deadline entry) {
        int at = entry.index;
        entry.index = Deadline.UNSCHEDULED;
        size--;
        Deadline last = entry(size);
        entries[size] = null;
        if (at != size) {
            if (at > 0 && last.isBefore(entry((at - 1) / 2))) {
                siftUp(at, last);
            } else {
                siftDown(at, last);
            }
        }
        if (size * 4 < entries.length && entries.length > MIN_CAPACITY) {
            entries = Arrays.copyOf(entries, entries.length / 2);
        }
    }

    private Deadline entry(int at) {
        Deadline entry = entries[at];
        if (entry == null) {
            throw new IllegalStateException("no entry at " + at + " of " + size);
        }
        return entry;
    }

    private void siftUp(int from, Deadline entry) {
        int at = from;
        while (at > 0 && entry.isBefore(entry((at - 1) / 2))) {
            put(at, entry((at - 1) / 2));
            at = (at - 1) / 2;
        }
        put(at, entry);
    }

    private void siftDown(int from, Deadline entry) {
        int at = from;
        for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && entry(child + 1).isBefore(entry(child))) {
                child++;
            }
            if (entry.isBefore(entry(child))) {
                break;
            }
            put(at, entry(child));
            at = child;
        }
        put(at, entry);
    }

    private void put(int at, Deadline entry) {
        entries[at] = entry;
        entry.index = at;
    }
}
