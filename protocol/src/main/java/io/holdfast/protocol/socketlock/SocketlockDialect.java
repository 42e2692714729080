package io.holdfast.protocol.socketlock;

/** Who makes the id of a client; its first greeting tells. */
public enum SocketlockDialect {
    /** The client: {@code ID HELLO}. */
    NAMED,
    /** The server: {@code HELLO}. */
    ASSIGNED
}
