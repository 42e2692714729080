package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/**
 * Deadlines in order of (time, sequence). What is due within about a millisecond stands in a heap,
 * which keeps the exact order; all the rest stands in a wheel, where scheduling and removing cost
 * the same however many there are. Most deadlines are removed before they ever get to the heap.
 */
final class Deadlines {
    private final DeadlineHeap heap = new DeadlineHeap();
    private final DeadlineWheel wheel = new DeadlineWheel(heap);
    private long lastSequence;

    int size() {
        return heap.size() + wheel.size();
    }

    /** A time that is not after the first deadline; {@link Long#MAX_VALUE} if there is none. */
    long next() {
        Deadline first = heap.first();
        return first == null ? wheel.next() : first.time;
    }

    long lastSequence() {
        return lastSequence;
    }

    /** The time up to which what is due stands in the heap. */
    long reachedNanos() {
        return wheel.reachedNanos();
    }

    /** Goes on from a time and a sequence, with nothing scheduled yet. */
    void restore(long sequence, long reachedNanos) {
        lastSequence = sequence;
        wheel.advance(reachedNanos);
    }

    /** Puts an entry where it stood. */
    void restore(Deadline entry, long time, long sequence) {
        entry.time = time;
        entry.sequence = sequence;
        wheel.add(entry);
    }

    long timeOf(Deadline entry) {
        return entry.isScheduled() ? entry.time : Long.MAX_VALUE;
    }

    /** Sets the time of an entry, scheduled before or not. {@link Long#MAX_VALUE} is never. */
    void schedule(Deadline entry, long time) {
        remove(entry);
        if (time != Long.MAX_VALUE) {
            entry.time = time;
            entry.sequence = ++lastSequence;
            wheel.add(entry);
        }
    }

    void remove(Deadline entry) {
        if (entry.index >= 0) {
            heap.remove(entry);
        } else if (entry.isScheduled()) {
            wheel.remove(entry);
        }
    }

    /** Takes the first entry whose time has come. */
    @Nullable Deadline pollDue(long now) {
        wheel.advance(now);
        Deadline first = heap.first();
        if (first == null || first.time > now) {
            return null;
        }
        heap.remove(first);
        return first;
    }
}
