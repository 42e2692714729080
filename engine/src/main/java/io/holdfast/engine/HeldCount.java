package io.holdfast.engine;

/**
 * How much of one namespace and kind is held.
 *
 * @param keys how many keys somebody holds
 * @param holds how often, all holders of each counted
 */
public record HeldCount(int keys, int holds) {
    public HeldCount plus(HeldCount other) {
        return new HeldCount(keys + other.keys, holds + other.holds);
    }
}
