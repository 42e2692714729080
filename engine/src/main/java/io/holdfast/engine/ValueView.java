package io.holdfast.engine;

/**
 * A value as it was at one moment.
 *
 * @param length in bytes
 * @param ttlLeftNanos 0 if it has no time to live
 * @param idleNanos how long ago the last activity was
 */
public record ValueView(Key key, int length, long ttlLeftNanos, long idleNanos) {}
