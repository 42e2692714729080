package io.holdfast.http.inspect;

import io.holdfast.engine.Key;

/**
 * About how long an answer gets. Rows are bounded in number, but a key may have 64 KiB, and some
 * bytes take more when they are written as text.
 */
final class ResponseSizeLimit {
    static final long MAX_BYTES = 8 << 20;

    private static final int BYTES_OF_ROW = 300;
    private static final int BYTES_OF_BYTE = 6;

    private long left = MAX_BYTES;

    /** Whether there is room for one more row, about this key. */
    boolean admits(Key key) {
        long bytes = BYTES_OF_ROW + (long) BYTES_OF_BYTE * key.bytes().length;
        if (bytes > left) {
            return false;
        }
        left -= bytes;
        return true;
    }
}
