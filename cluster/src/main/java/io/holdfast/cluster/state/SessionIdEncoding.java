package io.holdfast.cluster.state;

/**
 * A session is numbered by the stint it belongs to and a number of its node. Together they stay
 * below 2^53, so that every JSON reader has them right.
 */
public final class SessionIdEncoding {
    private static final int LOCAL_BITS = 32;
    private static final long LOCAL_MASK = (1L << LOCAL_BITS) - 1;

    private SessionIdEncoding() {}

    public static long of(long stint, long local) {
        return stint << LOCAL_BITS | (local & LOCAL_MASK);
    }

    public static long incarnation(long session) {
        return session >>> LOCAL_BITS;
    }

    /** The lowest number that a session of a stint may have. */
    public static long first(long stint) {
        return stint << LOCAL_BITS;
    }
}
