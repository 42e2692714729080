package io.holdfast.protocol.socketlock;

/** The result of decoding. */
public sealed interface SocketlockInput {
    /** A line, valid or not. */
    record Line(SocketlockRequest request) implements SocketlockInput {}

    /** A line was too long; the rest of the input cannot be decoded. */
    record TooLong() implements SocketlockInput {}
}
