package io.holdfast.protocol.json;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import java.nio.charset.StandardCharsets;

/**
 * Writes byte strings as JSON strings, safe inside HTML and JavaScript too: {@code < > &}, U+2028
 * and U+2029 are escaped, and each byte that is not part of valid UTF-8 becomes U+FFFD.
 */
public final class JsonText {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLACEMENT = "\\ufffd".getBytes(StandardCharsets.US_ASCII);

    private JsonText() {}

    /** Writes the string with its quotes. */
    public static void write(byte[] text, ByteBuf out) {
        out.writeByte('"');
        int at = 0;
        while (at < text.length) {
            int first = text[at] & 0xff;
            if (first < 0x80) {
                writeAscii(first, out);
                at++;
                continue;
            }
            int length = Utf8.sequenceLength(text, at);
            if (length == 0) {
                out.writeBytes(REPLACEMENT);
                at++;
            } else {
                if (isLineSeparator(text, at, length)) {
                    out.writeBytes(REPLACEMENT, 0, 2);
                    ByteBufUtil.writeAscii(out, text[at + 2] == (byte) 0xa8 ? "2028" : "2029");
                } else {
                    out.writeBytes(text, at, length);
                }
                at += length;
            }
        }
        out.writeByte('"');
    }

    private static boolean isLineSeparator(byte[] text, int at, int length) {
        return length == 3
                && text[at] == (byte) 0xe2
                && text[at + 1] == (byte) 0x80
                && (text[at + 2] == (byte) 0xa8 || text[at + 2] == (byte) 0xa9);
    }

    private static void writeAscii(int c, ByteBuf out) {
        switch (c) {
            case '"', '\\' -> out.writeByte('\\').writeByte(c);
            case '\b' -> out.writeByte('\\').writeByte('b');
            case '\f' -> out.writeByte('\\').writeByte('f');
            case '\n' -> out.writeByte('\\').writeByte('n');
            case '\r' -> out.writeByte('\\').writeByte('r');
            case '\t' -> out.writeByte('\\').writeByte('t');
            case '<', '>', '&' -> writeEscape(c, out);
            default -> {
                if (c < 0x20) {
                    writeEscape(c, out);
                } else {
                    out.writeByte(c);
                }
            }
        }
    }

    private static void writeEscape(int c, ByteBuf out) {
        ByteBufUtil.writeAscii(out, "\\u00");
        out.writeByte(HEX[c >> 4]).writeByte(HEX[c & 15]);
    }

    /** Writes a duration as decimal seconds, with as many fractional digits as needed. */
    public static void writeSeconds(long nanos, ByteBuf out) {
        long whole = nanos / 1_000_000_000L;
        long rest = nanos % 1_000_000_000L;
        ByteBufUtil.writeAscii(out, Long.toString(whole));
        if (rest == 0) {
            return;
        }
        out.writeByte('.');
        for (long digit = 100_000_000L; rest > 0; digit /= 10) {
            out.writeByte((byte) ('0' + rest / digit));
            rest %= digit;
        }
    }
}
