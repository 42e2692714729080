package io.holdfast.engine;

/**
 * How much of one kind is in use, in all namespaces.
 *
 * @param keys how many keys somebody holds
 * @param holds how often, all holders of each counted
 * @param waits how many places in lines there are
 */
public record ResourceKindUsage(int keys, int holds, int waits) {
    public ResourceKindUsage plus(ResourceKindUsage other) {
        return new ResourceKindUsage(keys + other.keys, holds + other.holds, waits + other.waits);
    }
}
