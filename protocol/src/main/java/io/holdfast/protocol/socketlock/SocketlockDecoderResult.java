package io.holdfast.protocol.socketlock;

/** The result of decoding. */
public sealed interface SocketlockDecoderResult {
    /** A line, valid or not. */
    record Line(SocketlockRequest request) implements SocketlockDecoderResult {}

    /** A line was too long; the rest of the input cannot be decoded. */
    record TooLong() implements SocketlockDecoderResult {}
}
