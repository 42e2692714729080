package io.holdfast.http.web;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Percent-encoding, byte for byte. */
public final class PercentEncoding {
    private static final String UNRESERVED = "-._~";
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private PercentEncoding() {}

    /** The decoded bytes; null if the encoding is malformed. */
    static byte @Nullable [] decode(String text, boolean plusIsBlank) {
        byte[] raw = text.getBytes(StandardCharsets.UTF_8);
        int length = 0;
        for (int i = 0; i < raw.length; i++) {
            byte c = raw[i];
            if (c == '%') {
                int high = digit(raw, i + 1);
                int low = digit(raw, i + 2);
                if (high < 0 || low < 0) {
                    return null;
                }
                raw[length++] = (byte) ((high << 4) | low);
                i += 2;
            } else {
                raw[length++] = c == '+' && plusIsBlank ? (byte) ' ' : c;
            }
        }
        return Arrays.copyOf(raw, length);
    }

    private static int digit(byte[] text, int at) {
        return at < text.length ? Character.digit(text[at], 16) : -1;
    }

    /** Encodes bytes for a path. */
    public static String encode(byte[] bytes) {
        StringBuilder out = new StringBuilder(bytes.length + 16);
        for (byte b : bytes) {
            char c = (char) (b & 0xff);
            if (c < 0x80 && (Character.isLetterOrDigit(c) || UNRESERVED.indexOf(c) >= 0)) {
                out.append(c);
            } else {
                out.append('%').append(HEX[c >> 4]).append(HEX[c & 15]);
            }
        }
        return out.toString();
    }
}
