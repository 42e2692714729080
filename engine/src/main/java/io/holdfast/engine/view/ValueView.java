package io.holdfast.engine.view;

import io.holdfast.engine.Key;

/**
 * A value at one moment.
 *
 * @param length in bytes
 * @param ttlLeftNanos 0 if it has no time to live
 * @param idleNanos time since the last activity
 */
public record ValueView(Key key, int length, long ttlLeftNanos, long idleNanos) {}
