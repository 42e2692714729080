package io.holdfast.engine;

/**
 * A list as it was at one moment.
 *
 * @param idleNanos how long ago the last activity was
 */
public record ListView(Key key, int length, long idleNanos) {}
