package io.holdfast.verification.campaign;

/**
 * A hold as its client observed it. Times are those of {@link System#nanoTime} in the clients'
 * process.
 *
 * @param fence the fencing token; {@link #NO_FENCE} if the protocol has none
 * @param requested the time before the request was sent
 * @param sent the time after the request was sent
 * @param enqueued when the client received the response that it was queued; {@link #NEVER} if there
 *     was none
 * @param granted when the client received the grant
 * @param confirmed the latest time at which the lock was held according to a later response
 * @param ended when the client stopped relying on the hold: when it sent the release, when its
 *     connection ended or at the end of the lease counted from the request
 */
record ObservedHold(
        String client,
        int node,
        String key,
        long fence,
        long requested,
        long sent,
        long enqueued,
        long granted,
        long confirmed,
        long ended) {
    static final long NO_FENCE = -1;
    static final long NEVER = Long.MAX_VALUE;

    boolean hasFence() {
        return fence != NO_FENCE;
    }

    /** The time from which every later request must be behind this one. */
    long knownFrom() {
        return Math.min(enqueued, granted);
    }
}
