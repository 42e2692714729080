package io.holdfast.driver;

/**
 * How many names may exist, over all shards. 0 is no limit.
 *
 * @param keys locks and semaphores, idle ones included
 * @param transientKeys names that are only claimed
 * @param entries counters, values and lists
 */
public record KeyLimits(long keys, long transientKeys, long entries) {
    public static final KeyLimits NONE = new KeyLimits(0, 0, 0);
}
