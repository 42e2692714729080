package io.holdfast.engine;

/**
 * A counter at one moment.
 *
 * @param idleNanos time since the last activity
 */
public record CounterView(Key key, long value, long idleNanos) {}
