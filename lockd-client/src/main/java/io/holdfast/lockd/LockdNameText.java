package io.holdfast.lockd;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Converts names between text and bytes. Text is UTF-8; a byte that is not part of a valid sequence
 * is decoded to the unpaired surrogate U+DC00 + byte. So the conversion is reversible: text from
 * the server can be sent back and names the same lock.
 */
final class LockdNameText {
    private static final int ESCAPE = 0xDC00;
    private static final int FIRST_ESCAPED = ESCAPE + 0x80;
    private static final int LAST_ESCAPED = ESCAPE + 0xFF;

    private LockdNameText() {}

    static String decode(byte[] bytes) {
        CharsetDecoder decoder =
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length); // at most one char per byte
        while (true) {
            CoderResult result = decoder.decode(in, out, true);
            if (result.isUnderflow()) {
                return out.flip().toString();
            }
            for (int i = 0; i < result.length(); i++) {
                out.put((char) (ESCAPE + (in.get() & 0xFF)));
            }
            decoder.reset();
        }
    }

    /**
     * The bytes of a text; throws {@link IllegalArgumentException} if it has an unpaired surrogate
     * that is no escaped byte.
     */
    static byte[] encode(String text) {
        var out = new ByteArrayOutputStream(text.length() + 16);
        text.codePoints()
                .forEach(
                        point -> {
                            if (point >= FIRST_ESCAPED && point <= LAST_ESCAPED) {
                                out.write(point - ESCAPE);
                            } else if (isSurrogate(point)) {
                                throw new IllegalArgumentException(
                                        "A name must not contain half a surrogate pair.");
                            } else {
                                out.writeBytes(
                                        Character.toString(point).getBytes(StandardCharsets.UTF_8));
                            }
                        });
        return out.toByteArray();
    }

    /**
     * The name as the server stores it: without whitespace at both ends, one SP for each run of
     * whitespace inside.
     */
    static String normalize(String name) {
        if (name.indexOf('\n') >= 0 || name.indexOf('\r') >= 0) {
            throw new IllegalArgumentException("A name must not contain CR or LF.");
        }
        String text = decode(encode(name)); // escaped bytes may form a character together, even
        // whitespace
        var normalized = new StringBuilder(text.length());
        boolean gap = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isWhitespace(c)) {
                gap = true;
                continue;
            }
            if (gap && normalized.length() > 0) {
                normalized.append(' ');
            }
            gap = false;
            normalized.append(c);
        }
        return normalized.toString();
    }

    /**
     * The whitespace of the protocol, which differs from Character.isWhitespace and isSpaceChar.
     */
    private static boolean isWhitespace(char c) {
        return (c >= 0x09 && c <= 0x0D)
                || c == 0x20
                || c == 0x85
                || c == 0xA0
                || c == 0x1680
                || (c >= 0x2000 && c <= 0x200A)
                || c == 0x2028
                || c == 0x2029
                || c == 0x202F
                || c == 0x205F
                || c == 0x3000;
    }

    private static boolean isSurrogate(int point) {
        return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    }
}
