package io.holdfast.driver;

/**
 * How many names may exist, over all shards. 0 is no limit.
 *
 * @param keys locks and semaphores, idle ones included
 * @param claims names that are only claimed
 * @param entries counters, values and lists
 */
public record Caps(long keys, long claims, long entries) {
    public static final Caps NONE = new Caps(0, 0, 0);
}
