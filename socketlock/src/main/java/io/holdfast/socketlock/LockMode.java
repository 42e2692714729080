package io.holdfast.socketlock;

/** Whether a lock is shared by readers or exclusive to one writer. */
public enum LockMode {
    READ,
    WRITE
}
