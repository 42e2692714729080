package io.holdfast.driver.monitor;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

/**
 * A key that is much waited for.
 *
 * @param waits how often somebody joined its line; a little too high at most
 */
public record ContendedKey(ResourceId resource, long waits) {
    /** A key of a kind. */
    public record ResourceId(ResourceKind kind, Key key) {}
}
