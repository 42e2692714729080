package io.holdfast.protocol.socketlock;

/**
 * Whether the client or the server chooses the id of the client; determined by its first greeting.
 */
public enum SocketlockDialect {
    /** The client chooses it: {@code ID HELLO}. */
    NAMED,
    /** The server chooses it: {@code HELLO}. */
    ASSIGNED
}
