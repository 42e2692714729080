package io.holdfast.server.lockd;

import io.holdfast.engine.ByteString;
import io.holdfast.protocol.lockd.LockdInput;

/** What comes in over a WebSocket. */
sealed interface WebSocketInput {
    /** A whole message, which is one command. */
    record Message(LockdInput command) implements WebSocketInput {}

    /** To be answered with the same bytes. */
    record Ping(ByteString payload) implements WebSocketInput {}

    /** The client is done. */
    record Close() implements WebSocketInput {}

    /** Nothing that follows can be understood. */
    record Violation(int status) implements WebSocketInput {}
}
