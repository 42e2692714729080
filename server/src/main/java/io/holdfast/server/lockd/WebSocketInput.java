package io.holdfast.server.lockd;

import io.holdfast.engine.ByteString;
import io.holdfast.protocol.lockd.LockdDecoderResult;

/** Decoded input of a WebSocket. */
sealed interface WebSocketInput {
    /** A complete message, which is one command. */
    record Message(LockdDecoderResult command) implements WebSocketInput {}

    /** The response is a pong with the same bytes. */
    record Ping(ByteString payload) implements WebSocketInput {}

    /** The client closes the WebSocket. */
    record Close() implements WebSocketInput {}

    /** The client violated the protocol; the connection is closed with this status. */
    record Violation(int status) implements WebSocketInput {}
}
