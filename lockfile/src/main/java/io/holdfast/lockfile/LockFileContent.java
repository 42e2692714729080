package io.holdfast.lockfile;

/** What the bytes of a lock file amount to. All three mean that the lock is held. */
public enum LockFileContent {
    /** It says who holds the lock and since when. */
    VALID,
    /** What a writer at work, or one that died at work, leaves. */
    DEBRIS,
    /** Anything else, perhaps somebody's document at a mistyped path: only force removes it. */
    FOREIGN
}
