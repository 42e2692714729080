package io.holdfast.driver.monitor;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

/**
 * A key with many waits.
 *
 * @param waits number of acquires that were queued; may be overestimated but not underestimated
 */
public record ContendedKey(ResourceId resource, long waits) {
    /** A key of a kind. */
    public record ResourceId(ResourceKind kind, Key key) {}
}
