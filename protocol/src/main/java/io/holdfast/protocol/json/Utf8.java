package io.holdfast.protocol.json;

/** Detects valid UTF-8 sequences. */
final class Utf8 {
    private Utf8() {}

    /** Length of the valid multi-byte sequence that starts here, 0 if there is none. */
    static int sequenceLength(byte[] text, int at) {
        int first = text[at] & 0xff;
        if (first >= 0xc2 && first <= 0xdf) {
            return has(text, at + 1, 0x80, 0xbf) ? 2 : 0;
        }
        if (first >= 0xe0 && first <= 0xef) {
            int low = first == 0xe0 ? 0xa0 : 0x80; // no overlong forms
            int high = first == 0xed ? 0x9f : 0xbf; // no surrogates
            return has(text, at + 1, low, high) && has(text, at + 2, 0x80, 0xbf) ? 3 : 0;
        }
        if (first >= 0xf0 && first <= 0xf4) {
            int low = first == 0xf0 ? 0x90 : 0x80;
            int high = first == 0xf4 ? 0x8f : 0xbf; // nothing above U+10FFFF
            return has(text, at + 1, low, high)
                            && has(text, at + 2, 0x80, 0xbf)
                            && has(text, at + 3, 0x80, 0xbf)
                    ? 4
                    : 0;
        }
        return 0;
    }

    private static boolean has(byte[] text, int at, int low, int high) {
        return at < text.length && (text[at] & 0xff) >= low && (text[at] & 0xff) <= high;
    }
}
