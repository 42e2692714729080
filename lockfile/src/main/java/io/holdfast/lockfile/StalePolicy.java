package io.holdfast.lockfile;

/** When a lock that is older than the stale timeout may be taken over. */
public enum StalePolicy {
    /** The age is sufficient. */
    AGE,
    /** The process must also not be known to run on this host. */
    AGE_AND_DEAD
}
