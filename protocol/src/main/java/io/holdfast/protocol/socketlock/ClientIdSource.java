package io.holdfast.protocol.socketlock;

/** Who chooses the id of a client; determined by its first greeting. */
public enum ClientIdSource {
    /** The client chooses it: {@code ID HELLO}. */
    CLIENT,
    /** The server chooses it: {@code HELLO}. */
    SERVER
}
