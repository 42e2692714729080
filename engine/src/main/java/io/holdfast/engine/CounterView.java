package io.holdfast.engine;

/**
 * A counter as it was at one moment.
 *
 * @param idleNanos how long ago the last activity was
 */
public record CounterView(Key key, long value, long idleNanos) {}
