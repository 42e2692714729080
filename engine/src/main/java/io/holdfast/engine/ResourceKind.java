package io.holdfast.engine;

/**
 * The kinds of resource. Each has a key space of its own: a lock never meets a semaphore or a
 * shared lock.
 */
public enum ResourceKind {
    /** One slot. */
    LOCK,
    /** As many slots as the first request for the name says. */
    SEMAPHORE,
    /** Everybody may have it; holders are counted, each session once. */
    SHARED
}
