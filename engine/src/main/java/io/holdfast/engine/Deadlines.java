package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * All deadlines of an engine in order of (time, sequence): a heap with four children a node. The
 * times stand in an array of their own, so that sifting does not touch the entries; entries know
 * their place, so that removing one is a real removal.
 */
final class Deadlines {
    private static final int SMALLEST = 16;

    private long[] times = new long[SMALLEST];
    private @Nullable Deadline[] entries = new Deadline[SMALLEST];
    private int size;
    private long lastSequence;

    int size() {
        return size;
    }

    /** When the next one is due, {@link Long#MAX_VALUE} if never. */
    long next() {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    long timeOf(Deadline entry) {
        return entry.isScheduled() ? times[entry.index] : Long.MAX_VALUE;
    }

    /** Sets the time of an entry, scheduled before or not. {@link Long#MAX_VALUE} is never. */
    void schedule(Deadline entry, long time) {
        if (time == Long.MAX_VALUE) {
            remove(entry);
            return;
        }
        entry.sequence = ++lastSequence;
        if (entry.isScheduled()) {
            int at = entry.index;
            times[at] = time;
            settle(at, time, entry);
            return;
        }
        if (size == times.length) {
            resize(size * 2);
        }
        siftUp(size++, time, entry);
    }

    void remove(Deadline entry) {
        int at = entry.index;
        if (at == Deadline.UNSCHEDULED) {
            return;
        }
        entry.index = Deadline.UNSCHEDULED;
        size--;
        Deadline last = entry(size);
        long time = times[size];
        entries[size] = null;
        if (at != size) {
            settle(at, time, last);
        }
        if (size * 4 < times.length && times.length > SMALLEST) {
            resize(times.length / 2);
        }
    }

    /** Takes the first entry whose time has come. */
    @Nullable Deadline pollDue(long now) {
        if (size == 0 || times[0] > now) {
            return null;
        }
        Deadline first = entry(0);
        remove(first);
        return first;
    }

    private Deadline entry(int at) {
        Deadline entry = entries[at];
        if (entry == null) {
            throw new IllegalStateException("no entry at " + at + " of " + size);
        }
        return entry;
    }

    private void settle(int at, long time, Deadline entry) {
        if (at > 0 && isBefore(time, entry, (at - 1) >>> 2)) {
            siftUp(at, time, entry);
        } else {
            siftDown(at, time, entry);
        }
    }

    private boolean isBefore(long time, Deadline entry, int other) {
        long otherTime = times[other];
        return time < otherTime || (time == otherTime && entry.sequence < entry(other).sequence);
    }

    private void siftUp(int from, long time, Deadline entry) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) >>> 2;
            if (!isBefore(time, entry, parent)) {
                break;
            }
            put(at, times[parent], entry(parent));
            at = parent;
        }
        put(at, time, entry);
    }

    private void siftDown(int from, long time, Deadline entry) {
        int at = from;
        for (int child = 4 * at + 1; child < size; child = 4 * at + 1) {
            int least = child;
            int end = Math.min(child + 4, size);
            for (int i = child + 1; i < end; i++) {
                if (isBefore(times[i], entry(i), least)) {
                    least = i;
                }
            }
            if (isBefore(time, entry, least)) {
                break;
            }
            put(at, times[least], entry(least));
            at = least;
        }
        put(at, time, entry);
    }

    private void put(int at, long time, Deadline entry) {
        times[at] = time;
        entries[at] = entry;
        entry.index = at;
    }

    private void resize(int capacity) {
        times = Arrays.copyOf(times, capacity);
        entries = Arrays.copyOf(entries, capacity);
    }
}
