package io.holdfast.engine.view;

/**
 * The usage of one kind in all namespaces.
 *
 * @param keys number of keys that have holders
 * @param holds number of holds of these keys
 * @param waits number of waiters
 */
public record ResourceKindUsage(int keys, int holds, int waits) {
    public ResourceKindUsage plus(ResourceKindUsage other) {
        return new ResourceKindUsage(keys + other.keys, holds + other.holds, waits + other.waits);
    }
}
