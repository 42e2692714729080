package io.holdfast.protocol.socketlock;

import io.holdfast.protocol.RequestDecoder;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

/**
 * Splits a stream of bytes into lines. The length of a line is limited, and a longer line ends the
 * connection. An incomplete line at the end of the connection is never executed. One per
 * connection.
 */
public final class SocketlockDecoder implements RequestDecoder<SocketlockDecoderResult> {
    /** Maximum length of a line without its end. */
    public static final int MAX_LINE_BYTES = 65536;

    private static final SocketlockDecoderResult TOO_LONG = new SocketlockDecoderResult.TooLong();

    /** Number of bytes of the current line that have been scanned. */
    private int scanned;

    private long linesRead;

    @Override
    public long linesRead() {
        return linesRead;
    }

    @Override
    public boolean isInsideRequest() {
        return scanned > 0;
    }

    @Override
    public @Nullable SocketlockDecoderResult decode(ByteBuf in) {
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
        linesRead++;
        return new SocketlockDecoderResult.Line(SocketlockSyntax.parse(line));
    }
}
