package io.holdfast.cluster.entry;

import java.io.IOException;

/** Bytes that are none of what was to be read. The message says what was met, and where. */
public final class EncodingException extends IOException {
    private static final long serialVersionUID = 1L;

    public EncodingException(String message) {
        super(message);
    }
}
