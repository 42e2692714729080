package io.holdfast.engine;

/**
 * How much of one namespace and kind is held.
 *
 * @param keys how many keys somebody holds
 * @param holds how often, all holders of each counted
 */
public record HeldCounts(int keys, int holds) {
    public HeldCounts plus(HeldCounts other) {
        return new HeldCounts(keys + other.keys, holds + other.holds);
    }
}
