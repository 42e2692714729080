package io.holdfast.engine;

/** How much of a read/write lock is asked for. */
public enum ReadWriteMode {
    /** Together with other readers. */
    READ,
    /** Alone. */
    WRITE
}
