package io.holdfast.engine;

/** How many slots a session holds and how many lines it stands in. */
public record Possessions(int holds, int waits) {}
