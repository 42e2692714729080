package io.holdfast.protocol.lockd;

import io.holdfast.protocol.RequestDecoder;
import io.holdfast.protocol.text.HttpDetector;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;

/**
 * Splits a stream of bytes into commands. The length of a line is limited; a longer line is not
 * executed, and only its last bytes are buffered. One per connection.
 */
public final class LockdDecoder implements RequestDecoder<LockdDecoderResult> {
    /** Maximum length of a line without its end; more than the original servers accept. */
    public static final int MAX_LINE_BYTES = 65536;

    /** Number of bytes at the end of a line that suffice to detect an HTTP request. */
    private static final int TAIL = 32;

    private static final LockdDecoderResult HTTP = new LockdDecoderResult.LooksLikeHttp();

    private boolean first = true;

    /** The last bytes so far of a line that is too long; null if the current line is not. */
    private @Nullable ByteBuf tail;

    /** Number of bytes of the current line that have been scanned. */
    private int scanned;

    private long linesRead;

    @Override
    public long linesRead() {
        return linesRead;
    }

    @Override
    public boolean isInsideRequest() {
        return scanned > 0 || tail != null;
    }

    @Override
    public @Nullable LockdDecoderResult decode(ByteBuf in) {
        int start = in.readerIndex();
        int end = in.writerIndex();
        if (first && tail == null && HttpDetector.isTls(in, start, end)) {
            in.readerIndex(end);
            first = false;
            return HTTP;
        }
        int feed = in.indexOf(start + scanned, end, (byte) '\n');
        if (feed >= 0) {
            return line(in, start, feed);
        }
        if (tail != null || end - start > MAX_LINE_BYTES) {
            tail = tailOf(in, start, end);
            in.readerIndex(end);
            scanned = 0;
        } else {
            scanned = end - start;
        }
        return null;
    }

    /** Reads the rest when the input has ended: a last command without its line feed. */
    public @Nullable LockdDecoderResult last(@Nullable ByteBuf rest) {
        ByteBuf in = rest == null ? Unpooled.EMPTY_BUFFER : rest;
        return in.isReadable() || tail != null
                ? line(in, in.readerIndex(), in.writerIndex())
                : null;
    }

    private LockdDecoderResult line(ByteBuf in, int start, int end) {
        in.readerIndex(Math.min(end + 1, in.writerIndex()));
        linesRead++;
        scanned = 0;
        boolean wasFirst = first;
        first = false;
        if (tail != null || end - start > MAX_LINE_BYTES) {
            ByteBuf ending = tailOf(in, start, end);
            tail = null;
            // A web page can make the first line of its request arbitrarily long.
            return wasFirst && HttpDetector.is(ending, 0, ending.writerIndex())
                    ? HTTP
                    : LockdSyntax.INVALID;
        }
        if (wasFirst && HttpDetector.is(in, start, end)) {
            return HTTP;
        }
        byte[] line = new byte[end - start];
        in.getBytes(start, line);
        return LockdSyntax.parse(line);
    }

    /** The last bytes of the line including {@code [start, end)}. */
    private ByteBuf tailOf(ByteBuf in, int start, int end) {
        byte[] bytes = new byte[TAIL];
        int fresh = Math.min(TAIL, end - start);
        int old = tail == null ? 0 : Math.min(TAIL - fresh, tail.writerIndex());
        if (tail != null) {
            tail.getBytes(tail.writerIndex() - old, bytes, 0, old);
        }
        in.getBytes(end - fresh, bytes, old, fresh);
        return Unpooled.wrappedBuffer(bytes, 0, old + fresh);
    }
}
