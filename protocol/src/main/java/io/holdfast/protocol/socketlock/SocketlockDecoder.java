package io.holdfast.protocol.socketlock;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

/**
 * Finds lines in a stream of bytes. A line has a cap, and one that is longer ends the connection.
 * What is unfinished when the connection ends is never carried out. One per connection.
 */
public final class SocketlockDecoder {
    /** What a line may have before its end. */
    public static final int MAX_LINE_BYTES = 65536;

    private static final SocketlockInput TOO_LONG = new SocketlockInput.TooLong();

    /** How many bytes of the line have been looked at. */
    private int scanned;

    /**
     * Takes the next line out of the buffer. Null if more bytes are needed; what is then left in
     * the buffer must be there, in front, at the next call.
     */
    public @Nullable SocketlockInput decode(ByteBuf in) {
        int start = in.readerIndex();
        int end = in.writerIndex();
        int feed = in.indexOf(start + scanned, end, (byte) '\n');
        int length = (feed < 0 ? end : feed) - start;
        if (length > MAX_LINE_BYTES) {
            in.readerIndex(end);
            scanned = 0;
            return TOO_LONG;
        }
        if (feed < 0) {
            scanned = length;
            return null;
        }
        byte[] line = new byte[length];
        in.readBytes(line).skipBytes(1);
        scanned = 0;
        return new SocketlockInput.Line(SocketlockSyntax.parse(line));
    }
}
