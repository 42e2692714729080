package io.holdfast.protocol.lockd;

import io.holdfast.protocol.text.HttpLine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;

/**
 * Finds commands in a stream of bytes. A line has a cap; of a longer one nothing is kept and
 * nothing is carried out. One per connection.
 */
public final class LockdDecoder {
    /** What a line may have before its end; more than the originals take. */
    public static final int MOST = 65536;

    private static final LockdInput HTTP = new LockdInput.LooksLikeHttp();

    private boolean first = true;
    private boolean discarding;

    /** How many bytes of the line have been looked at. */
    private int scanned;

    /**
     * Takes the next command out of the buffer. Null if more bytes are needed; what is then left in
     * the buffer must be there, in front, at the next call.
     */
    public @Nullable LockdInput decode(ByteBuf in) {
        int start = in.readerIndex();
        int end = in.writerIndex();
        int feed = in.indexOf(start + scanned, end, (byte) '\n');
        if (feed < 0) {
            if (discarding || end - start > MOST) {
                discarding = true;
                in.readerIndex(end);
                scanned = 0;
            } else {
                scanned = end - start;
            }
            return null;
        }
        scanned = 0;
        return line(in, start, feed);
    }

    /** Takes what is left when no more bytes will come: a last command without its line feed. */
    public @Nullable LockdInput last(@Nullable ByteBuf rest) {
        ByteBuf in = rest == null ? Unpooled.EMPTY_BUFFER : rest;
        int start = in.readerIndex();
        int end = in.writerIndex();
        scanned = 0;
        return start == end && !discarding ? null : line(in, start, end);
    }

    private LockdInput line(ByteBuf in, int start, int end) {
        in.readerIndex(Math.min(end + 1, in.writerIndex()));
        if (discarding || end - start > MOST) {
            discarding = false;
            first = false;
            return LockdSyntax.INVALID;
        }
        if (first && HttpLine.is(in, start, end)) {
            return HTTP;
        }
        first = false;
        byte[] line = new byte[end - start];
        in.getBytes(start, line);
        return LockdSyntax.parse(line);
    }
}
