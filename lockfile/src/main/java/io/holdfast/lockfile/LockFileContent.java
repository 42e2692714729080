package io.holdfast.lockfile;

/** The kind of content of a lock file. With each of them the lock is held. */
public enum LockFileContent {
    /** It names the holder and the time. */
    VALID,
    /** A beginning of a valid file: its writer has not finished, or has died while writing. */
    DEBRIS,
    /** Anything else, perhaps an unrelated document at a mistyped path: only force removes it. */
    FOREIGN
}
