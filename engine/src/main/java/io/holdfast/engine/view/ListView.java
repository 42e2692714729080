package io.holdfast.engine.view;

import io.holdfast.engine.Key;

/**
 * A list at one moment.
 *
 * @param idleNanos time since the last activity
 */
public record ListView(Key key, int length, long idleNanos) {}
