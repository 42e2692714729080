package io.holdfast.protocol.text;

import java.util.Arrays;

/**
 * The whitespace of dflockd and lockd: ASCII whitespace and the Unicode spaces in UTF-8, which is
 * not the set of {@code String.strip}.
 */
public final class Whitespace {
    private Whitespace() {}

    /** The bytes without leading and trailing whitespace. */
    public static byte[] trim(byte[] text) {
        return trim(text, 0, text.length);
    }

    public static byte[] trim(byte[] text, int start, int end) {
        int from = start;
        int to = end;
        for (int width = 1; from < to && width > 0; from += width) {
            width = lengthAt(text, from, to);
        }
        for (int width = 1; from < to && width > 0; to -= width) {
            width = lengthBefore(text, from, to);
        }
        return Arrays.copyOfRange(text, from, to);
    }

    /**
     * The bytes {@code [start, end)} without leading and trailing whitespace and with each inner
     * run of whitespace replaced by one space.
     */
    public static byte[] normalise(byte[] text, int start, int end) {
        byte[] out = new byte[end - start];
        int length = 0;
        boolean gap = false;
        for (int at = start; at < end; ) {
            int width = lengthAt(text, at, end);
            if (width > 0) {
                gap = length > 0;
                at += width;
                continue;
            }
            if (gap) {
                out[length++] = ' ';
                gap = false;
            }
            out[length++] = text[at++];
        }
        return Arrays.copyOf(out, length);
    }

    /** Length in bytes of the whitespace character that starts here, 0 if there is none. */
    public static int lengthAt(byte[] text, int at, int end) {
        int first = text[at];
        if (first > ' ') {
            return 0;
        }
        if (first >= 0) {
            return isAscii(first) ? 1 : 0;
        }
        int second = at + 1 < end ? text[at + 1] & 0xff : 0;
        int third = at + 2 < end ? text[at + 2] & 0xff : 0;
        return switch (first & 0xff) {
            case 0xc2 -> second == 0x85 || second == 0xa0 ? 2 : 0;
            case 0xe1 -> second == 0x9a && third == 0x80 ? 3 : 0;
            case 0xe2 -> isGeneralPunctuationSpace(second, third) ? 3 : 0;
            case 0xe3 -> second == 0x80 && third == 0x80 ? 3 : 0;
            default -> 0;
        };
    }

    /**
     * Length in bytes of the whitespace character that ends before {@code end}, 0 if there is none.
     */
    public static int lengthBefore(byte[] text, int start, int end) {
        int last = text[end - 1];
        if (last >= 0) {
            return isAscii(last) ? 1 : 0;
        }
        if (end - start >= 2 && lengthAt(text, end - 2, end) == 2) {
            return 2;
        }
        return end - start >= 3 && lengthAt(text, end - 3, end) == 3 ? 3 : 0;
    }

    private static boolean isAscii(int c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static boolean isGeneralPunctuationSpace(int second, int third) {
        if (second == 0x80) {
            return (third >= 0x80 && third <= 0x8a)
                    || third == 0xa8
                    || third == 0xa9
                    || third == 0xaf;
        }
        return second == 0x81 && third == 0x9f;
    }
}
