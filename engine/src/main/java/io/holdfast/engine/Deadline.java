package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** Something that ends at a time. Its fields belong to {@link Deadlines}. */
abstract sealed class Deadline permits Hold, Waiter, KeyedState, RestartQuarantine {
    static final int UNSCHEDULED = -1;

    /** When it ends, while it is scheduled. */
    long time;

    /** Order among equal times. */
    long sequence;

    /** Where it is: a place in the heap, or the slot of the wheel as a number below -1. */
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
