package io.holdfast.engine.hash;

/**
 * The hash of a sequence that changes at its ends: a polynomial of the hashes of its items, so that
 * it depends on their order and not on how they were added.
 */
public final class SequenceHash {
    /** Odd, so that it has an inverse. */
    private static final long BASE = 0xD1342543DE82EF93L;

    private static final long INVERSE = inverse(BASE);

    private long sum;

    /** The base to the power of the length. */
    private long power = 1;

    private static long inverse(long odd) {
        long inverse = odd; // right in 3 bits; each step doubles them
        for (int bits = 3; bits < Long.SIZE; bits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }

    public void addFirst(long item) {
        sum = sum * BASE + item;
        power *= BASE;
    }

    public void addLast(long item) {
        sum += item * power;
        power *= BASE;
    }

    /** Removes the first item, which must be this one. */
    public void removeFirst(long item) {
        sum = (sum - item) * INVERSE;
        power *= INVERSE;
    }

    /** Removes the last item, which must be this one. */
    public void removeLast(long item) {
        power *= INVERSE;
        sum -= item * power;
    }

    public long value() {
        return sum;
    }
}
