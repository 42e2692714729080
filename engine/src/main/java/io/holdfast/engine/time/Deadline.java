package io.holdfast.engine.time;

import io.holdfast.engine.hash.FieldHash;
import io.holdfast.engine.hash.HashedRecord;

import org.jspecify.annotations.Nullable;

/** Something that ends at a point in time. It can be in one {@link Deadlines} at a time. */
public abstract class Deadline extends HashedRecord {
    static final int UNSCHEDULED = -1;

    long time;

    long sequence;

    /** The index in the heap, or a number below -1 that encodes the slot of the wheel. */
    int index = UNSCHEDULED;

    /** Neighbours in a slot of the wheel. */
    @Nullable Deadline previous;

    @Nullable Deadline next;

    public final boolean isScheduled() {
        return index != UNSCHEDULED;
    }

    /** When it ends; still valid when it has become due, but not after it was removed. */
    public final long time() {
        return time;
    }

    /** The order among deadlines of equal times; valid while it is scheduled. */
    public final long sequence() {
        return sequence;
    }

    /** Mixes in the time and the order among equal times. */
    protected final void hashDeadline(FieldHash out) {
        out.flag(isScheduled());
        if (isScheduled()) {
            out.number(time).number(sequence);
        }
    }

    final boolean isBefore(Deadline other) {
        return time < other.time || (time == other.time && sequence < other.sequence);
    }
}
