package io.holdfast.http.inspect;

import io.holdfast.engine.Key;

/**
 * Limits the estimated size of a response. The number of rows is limited elsewhere, but a key may
 * have 64 KiB, and a byte may take up to six characters in JSON.
 */
final class ResponseSizeLimit {
    static final long MAX_BYTES = 8 << 20;

    private static final int BYTES_OF_ROW = 300;
    private static final int BYTES_OF_BYTE = 6;

    private long left = MAX_BYTES;

    /** Reserves the size of a row with this key; false if the limit is reached. */
    boolean admits(Key key) {
        long bytes = BYTES_OF_ROW + (long) BYTES_OF_BYTE * key.bytes().length;
        if (bytes > left) {
            return false;
        }
        left -= bytes;
        return true;
    }
}
