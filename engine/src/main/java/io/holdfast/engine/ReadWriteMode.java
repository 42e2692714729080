package io.holdfast.engine;

/** The mode of a hold of a read/write lock. */
public enum ReadWriteMode {
    /** Shared with other readers. */
    READ,
    /** Exclusive. */
    WRITE
}
