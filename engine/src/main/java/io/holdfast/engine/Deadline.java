package io.holdfast.engine;

/** Something that ends at a time. Its fields belong to {@link Deadlines}. */
abstract sealed class Deadline permits Hold, Wait {
    static final int UNSCHEDULED = -1;

    /** Place in the heap. */
    int index = UNSCHEDULED;

    /** Order among equal times. */
    long sequence;

    final boolean isScheduled() {
        return index != UNSCHEDULED;
    }
}
