package io.holdfast.engine;

/**
 * An operation on data. Counters, values and lists have separate key spaces and belong to no
 * session: every session can read, change and remove what another has written.
 */
public sealed interface DataOperation {
    /** An end of a list. */
    enum End {
        FRONT,
        BACK
    }

    /** Whether it may create an entry. */
    default boolean mayCreate() {
        return false;
    }

    /** An operation that creates its entry if there is none. */
    sealed interface Creating extends DataOperation {
        @Override
        default boolean mayCreate() {
            return true;
        }
    }

    /** The result is {@link Effect.Counted} with the new value. */
    record Increment(long delta) implements Creating {}

    /** The result is {@link Effect.Counted} with the new value. */
    record Decrement(long delta) implements Creating {}

    /** A counter that does not exist reads as 0. */
    record GetCounter() implements DataOperation {}

    record SetCounter(long value) implements Creating {}

    /**
     * Replaces a value and its time to live.
     *
     * @param ttlNanos {@link Command#FOREVER} for no time to live
     */
    record SetValue(ByteString value, long ttlNanos) implements Creating {}

    record GetValue() implements DataOperation {}

    /** The result is {@link Effect.Changed}, whether there was a value or not. */
    record DeleteValue() implements DataOperation {}

    /** The result is {@link Effect.Counted} with the new length. */
    record Push(End end, ByteString item) implements Creating {}

    record Pop(End end) implements DataOperation {}

    record Length() implements DataOperation {}

    /**
     * Items from {@code first} to {@code last}, both included, counted from 0; negative numbers
     * count from the end, -1 being the last item. Indexes outside of the list are clamped.
     */
    record Range(long first, long last) implements DataOperation {}
}
