package io.holdfast.engine;

/**
 * What can be done to data. Counters, values and lists have key spaces of their own, and belong to
 * no session: what one writes, every other can read, change and remove.
 */
public sealed interface DataOperation {
    /** An end of a list. */
    enum End {
        FRONT,
        BACK
    }

    /** Whether it may bring data into being. */
    default boolean mayCreate() {
        return false;
    }

    /** An operation that creates what it is about, if need be. */
    sealed interface Creating extends DataOperation {
        @Override
        default boolean mayCreate() {
            return true;
        }
    }

    /** Answered with the new {@link Effect.Counted}. */
    record Increment(long delta) implements Creating {}

    /** Answered with the new {@link Effect.Counted}. */
    record Decrement(long delta) implements Creating {}

    /** A counter that does not exist reads as 0. */
    record GetCounter() implements DataOperation {}

    record SetCounter(long value) implements Creating {}

    /**
     * Replaces a value and its time to live.
     *
     * @param ttlNanos {@link Command#FOREVER} for none
     */
    record SetValue(ByteString value, long ttlNanos) implements Creating {}

    record GetValue() implements DataOperation {}

    /** Answered with {@link Effect.Changed} whether there was a value or not. */
    record DeleteValue() implements DataOperation {}

    /** Answered with the new length. */
    record Push(End end, ByteString item) implements Creating {}

    record Pop(End end) implements DataOperation {}

    record Length() implements DataOperation {}

    /**
     * Items from {@code first} to {@code last}, both included, counted from 0; negative numbers
     * count from the end, -1 being the last item. What lies outside is left out.
     */
    record Range(long first, long last) implements DataOperation {}
}
