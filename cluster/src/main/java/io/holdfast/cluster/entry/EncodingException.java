package io.holdfast.cluster.entry;

import java.io.IOException;

/**
 * Bytes that are malformed, or not allowed where they are. The message says what was found, and the
 * offset of malformed bytes.
 */
public final class EncodingException extends IOException {
    private static final long serialVersionUID = 1L;

    public EncodingException(String message) {
        super(message);
    }
}
