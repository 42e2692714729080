package io.holdfast.cluster.state;

/**
 * Session ids consist of the incarnation and a number that its node chose. They stay below 2^53, so
 * that every JSON reader represents them exactly.
 */
public final class SessionIdEncoding {
    private static final int LOCAL_BITS = 32;
    private static final long LOCAL_MASK = (1L << LOCAL_BITS) - 1;

    private SessionIdEncoding() {}

    public static long of(long incarnation, long local) {
        return incarnation << LOCAL_BITS | (local & LOCAL_MASK);
    }

    public static long incarnation(long session) {
        return session >>> LOCAL_BITS;
    }

    /** Returns the lowest session id of an incarnation. */
    public static long first(long incarnation) {
        return incarnation << LOCAL_BITS;
    }
}
