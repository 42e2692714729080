package io.holdfast.engine.time;

import io.holdfast.engine.hash.StateHash;

import org.jspecify.annotations.Nullable;

/**
 * Deadlines in order of (time, sequence). Those due within about a millisecond are in a heap, which
 * keeps the exact order; all others are in a timing wheel, where scheduling and removing take
 * constant time. Most deadlines are removed before they reach the heap.
 *
 * @param <D> what ends
 */
public final class Deadlines<D extends Deadline> {
    private final DeadlineHeap heap = new DeadlineHeap();
    private final DeadlineWheel wheel = new DeadlineWheel(heap);
    private final StateHash stateHash;
    private long lastSequence;

    /**
     * @param stateHash notified of every entry whose deadline changes
     */
    public Deadlines(StateHash stateHash) {
        this.stateHash = stateHash;
    }

    int size() {
        return heap.size() + wheel.size();
    }

    /** A time not after the first deadline; {@link Long#MAX_VALUE} if there is none. */
    public long next() {
        Deadline first = heap.first();
        return first == null ? wheel.next() : first.time;
    }

    public long lastSequence() {
        return lastSequence;
    }

    /** The time up to which deadlines are in the heap. */
    public long reachedNanos() {
        return wheel.reachedNanos();
    }

    /** Restores the last sequence and the time that was reached, before any entry. */
    public void restore(long sequence, long reachedNanos) {
        lastSequence = sequence;
        wheel.advance(reachedNanos);
    }

    /** Restores a scheduled entry. */
    public void restore(D entry, long time, long sequence) {
        entry.time = time;
        entry.sequence = sequence;
        wheel.add(entry);
    }

    public long timeOf(D entry) {
        return entry.isScheduled() ? entry.time : Long.MAX_VALUE;
    }

    /** Schedules or reschedules an entry. {@link Long#MAX_VALUE} is never. */
    public void schedule(D entry, long time) {
        remove(entry);
        if (time != Long.MAX_VALUE) {
            entry.time = time;
            entry.sequence = ++lastSequence;
            wheel.add(entry);
        }
    }

    public void remove(D entry) {
        stateHash.changed(entry);
        if (entry.index >= 0) {
            heap.remove(entry);
        } else if (entry.isScheduled()) {
            wheel.remove(entry);
        }
    }

    /** Removes and returns the first entry that is due; null if none is. */
    @SuppressWarnings("unchecked") // only entries of this type are added
    public @Nullable D pollDue(long now) {
        wheel.advance(now);
        Deadline first = heap.first();
        if (first == null || first.time > now) {
            return null;
        }
        stateHash.changed(first);
        heap.remove(first);
        return (D) first;
    }
}
