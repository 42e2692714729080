package io.holdfast.client.socketlock;

/** Shared by readers, or one writer alone. */
public enum LockMode {
    READ,
    WRITE
}
