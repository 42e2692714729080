package io.holdfast.engine;

/** How many slots a session holds and how many lines it stands in. */
public record SessionUsage(int holds, int waits) {}
