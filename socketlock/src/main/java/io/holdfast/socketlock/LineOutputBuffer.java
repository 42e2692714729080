package io.holdfast.socketlock;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Buffers lines that the channel has not accepted yet, in order. Uses little memory while it is
 * empty.
 */
final class LineOutputBuffer {
    private static final int SMALL = 512;
    private static final int PIECE = 64 * 1024;

    private byte[] bytes = new byte[0];
    private int start;
    private int end;

    /** The number of buffered bytes. */
    int size() {
        return end - start;
    }

    /** Adds a line; each of its characters is one byte. */
    void add(String line) {
        byte[] more = line.getBytes(StandardCharsets.ISO_8859_1);
        int needed = size() + more.length + 1;
        if (end + more.length + 1 > bytes.length) {
            byte[] target = needed > bytes.length ? new byte[Math.max(SMALL, 2 * needed)] : bytes;
            System.arraycopy(bytes, start, target, 0, size());
            bytes = target;
            end = size();
            start = 0;
        }
        System.arraycopy(more, 0, bytes, end, more.length);
        end += more.length;
        bytes[end++] = '\n';
    }

    /** Writes as much as the channel accepts without blocking. */
    void writeTo(WritableByteChannel channel) throws IOException {
        while (size() > 0) {
            int written = channel.write(ByteBuffer.wrap(bytes, start, Math.min(PIECE, size())));
            start += written;
            if (written == 0) {
                return;
            }
        }
        start = 0;
        end = 0;
        if (bytes.length > SMALL) {
            bytes = Arrays.copyOf(bytes, 0);
        }
    }
}
