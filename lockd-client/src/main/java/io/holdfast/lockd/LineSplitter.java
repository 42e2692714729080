package io.holdfast.lockd;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Splits the received bytes into lines, however they are fragmented. */
final class LineSplitter {
    /** Receives a line of text without its line end. */
    interface Sink {
        void line(String line) throws LockdProtocolException;
    }

    private final int limit;
    private byte[] line = new byte[256];
    private int length;

    LineSplitter(int limit) {
        this.limit = limit;
    }

    /**
     * Passes each complete line to the sink. Empty lines are skipped: they have no meaning in this
     * protocol.
     */
    void feed(ByteBuffer in, Sink sink) throws LockdProtocolException {
        while (in.hasRemaining()) {
            byte b = in.get();
            if (b != '\n') {
                append(b);
                continue;
            }
            int end = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
            length = 0;
            if (end > 0) {
                sink.line(LockdNameText.decode(Arrays.copyOf(line, end)));
            }
        }
    }

    /** The incomplete line at the end of the input; empty if there is none. */
    String rest() {
        boolean lineEnd = length == 1 && line[0] == '\r';
        return lineEnd ? "" : LockdNameText.decode(Arrays.copyOf(line, length));
    }

    private void append(byte b) throws LockdProtocolException {
        if (length == limit) {
            throw new LockdProtocolException("A line of more than " + limit + " bytes");
        }
        if (length == line.length) {
            line = Arrays.copyOf(line, Math.min(limit, 2 * length));
        }
        line[length++] = b;
    }
}
