package io.holdfast.engine.view;

/**
 * The held keys and the holds of one namespace and kind.
 *
 * @param keys number of keys that have holders
 * @param holds number of holds of these keys
 */
public record HeldCounts(int keys, int holds) {
    public HeldCounts plus(HeldCounts other) {
        return new HeldCounts(keys + other.keys, holds + other.holds);
    }
}
