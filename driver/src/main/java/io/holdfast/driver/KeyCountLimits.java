package io.holdfast.driver;

/**
 * The maximum number of keys over all shards. 0 is no limit.
 *
 * @param keys locks and semaphores, idle ones included
 * @param transientKeys locks that have only been try-acquired or requested as an offer, and that
 *     are dropped when unused
 * @param entries counters, values and lists
 */
public record KeyCountLimits(long keys, long transientKeys, long entries) {
    public static final KeyCountLimits NONE = new KeyCountLimits(0, 0, 0);
}
