package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** Something that ends at a point in time. Its fields belong to {@link Deadlines}. */
abstract sealed class Deadline permits Hold, Waiter, KeyedState, RestartQuarantine {
    static final int UNSCHEDULED = -1;

    /** When it ends; valid while it is scheduled. */
    long time;

    /** Order among equal times. */
    long sequence;

    /** The index in the heap, or a number below -1 that encodes the slot of the wheel. */
    int index = UNSCHEDULED;

    /** Neighbours in a slot of the wheel. */
    @Nullable Deadline previous;

    @Nullable Deadline next;

    final boolean isScheduled() {
        return index != UNSCHEDULED;
    }

    final boolean isBefore(Deadline other) {
        return time < other.time || (time == other.time && sequence < other.sequence);
    }
}
