package io.holdfast.lockfile;

/** Whether the process that a lock file names runs on this host. */
public enum ProcessLiveness {
    YES,
    NO,
    /** The file names no process, one of another host, or one that cannot be queried. */
    UNKNOWN
}
