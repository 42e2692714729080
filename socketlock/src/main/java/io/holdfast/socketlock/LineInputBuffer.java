package io.holdfast.socketlock;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Splits the received bytes into lines, however they are fragmented. Uses no memory while it is
 * empty.
 */
final class LineInputBuffer {
    private static final byte[] NOTHING = {};

    private byte[] bytes = NOTHING;
    private int start;
    private int scanned;
    private int end;
    private boolean tooLong;

    void add(ByteBuffer in) {
        int more = in.remaining();
        if (end + more > bytes.length) {
            byte[] old = bytes;
            int kept = end - start;
            if (kept + more > bytes.length) {
                bytes = new byte[Math.max(kept + more, 2 * kept)];
            }
            System.arraycopy(old, start, bytes, 0, kept);
            scanned -= start;
            start = 0;
            end = kept;
        }
        in.get(bytes, end, more);
        end += more;
    }

    /** The fields of the next line, or null if it is incomplete. */
    @Nullable List<String> next() {
        while (scanned < end && bytes[scanned] != '\n') {
            scanned++;
        }
        tooLong |= scanned - start > PrimarySyntax.MAX_BYTES;
        if (tooLong) {
            return null;
        }
        if (scanned == end) {
            if (end == 0) {
                bytes = NOTHING;
            }
            return null;
        }
        List<String> fields = PrimarySyntax.fields(bytes, start, scanned);
        scanned++;
        start = scanned;
        if (start == end) {
            start = 0;
            scanned = 0;
            end = 0;
        }
        return fields;
    }

    /** Whether a line exceeded the maximum length; then no further line is returned. */
    boolean isTooLong() {
        return tooLong;
    }
}
