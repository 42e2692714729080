package io.holdfast.cli.soak.cluster;

/**
 * A lock that a client was given. Times are those of {@link System#nanoTime} where the clients are.
 *
 * @param fence {@link #NO_FENCE} where the protocol has none
 * @param asked before the request was sent
 * @param sent after it was sent
 * @param inLine when the client knew that it was in line; {@link #NEVER} if it did not
 * @param granted when the answer was there
 * @param confirmed the latest time of which the cluster said afterwards that the lock was held
 * @param ended when the client gave it up: by asking to release it, by the end of its connection or
 *     by the end of the lease, counted from when it was asked for
 */
record ObservedHold(
        String client,
        int node,
        String key,
        long fence,
        long asked,
        long sent,
        long inLine,
        long granted,
        long confirmed,
        long ended) {
    static final long NO_FENCE = -1;
    static final long NEVER = Long.MAX_VALUE;

    boolean hasFence() {
        return fence != NO_FENCE;
    }

    /** When others could know that it comes before whatever is asked for from then on. */
    long knownFrom() {
        return Math.min(inLine, granted);
    }
}
