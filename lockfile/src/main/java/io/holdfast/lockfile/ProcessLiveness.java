package io.holdfast.lockfile;

/** Whether the process that a lock file names runs on this host. */
public enum ProcessLiveness {
    YES,
    NO,
    /** The file names none, one of another host, or one that cannot be asked about. */
    UNKNOWN
}
