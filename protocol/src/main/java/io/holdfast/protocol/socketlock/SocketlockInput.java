package io.holdfast.protocol.socketlock;

/** What came in. */
public sealed interface SocketlockInput {
    /** A line, whatever it says. */
    record Line(SocketlockRequest request) implements SocketlockInput {}

    /** A line has no end where it must have one; nothing behind it can be read. */
    record TooLong() implements SocketlockInput {}
}
