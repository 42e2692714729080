package io.holdfast.client.internal.wire;

import java.io.IOException;

/** The server sent a line that violates the protocol. The message contains no secret. */
final class BadLineException extends IOException {
    private static final long serialVersionUID = 1L;

    BadLineException(String message) {
        super("The server violated the protocol: " + message);
    }
}
