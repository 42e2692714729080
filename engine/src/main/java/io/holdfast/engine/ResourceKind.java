package io.holdfast.engine;

/**
 * The kinds of resource. Each has its own key space: a lock and a semaphore of the same key are
 * independent.
 */
public enum ResourceKind {
    /** One slot. */
    LOCK,
    /** As many slots as the first request for the key specifies. */
    SEMAPHORE,
    /** Any number of sessions may hold it; each is counted once. */
    SHARED
}
