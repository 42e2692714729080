package io.holdfast.engine.view;

import io.holdfast.engine.Key;

/**
 * A counter at one moment.
 *
 * @param idleNanos time since the last activity
 */
public record CounterView(Key key, long value, long idleNanos) {}
