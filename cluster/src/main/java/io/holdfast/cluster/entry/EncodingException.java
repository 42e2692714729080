package io.holdfast.cluster.entry;

import java.io.IOException;

/** Malformed bytes. The message has what was found, and its offset. */
public final class EncodingException extends IOException {
    private static final long serialVersionUID = 1L;

    public EncodingException(String message) {
        super(message);
    }
}
