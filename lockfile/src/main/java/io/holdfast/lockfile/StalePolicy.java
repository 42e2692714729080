package io.holdfast.lockfile;

/** When a lock that is older than the stale timeout may be taken over. */
public enum StalePolicy {
    /** Its age is enough. */
    AGE,
    /** Its age, and its process is not known to be alive on this host. */
    AGE_AND_DEAD
}
