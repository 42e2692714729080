package io.holdfast.client.wire;

import java.io.IOException;

/** The server said something that is not in its protocol. The message quotes nothing secret. */
final class BadLineException extends IOException {
    private static final long serialVersionUID = 1L;

    BadLineException(String message) {
        super("The server broke the protocol: " + message);
    }
}
