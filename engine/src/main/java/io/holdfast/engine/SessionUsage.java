package io.holdfast.engine;

/** The number of holds and of waiters of a session. */
public record SessionUsage(int holds, int waits) {}
