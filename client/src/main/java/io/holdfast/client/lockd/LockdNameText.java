package io.holdfast.client.lockd;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Names as text and as bytes. Text is UTF-8; a byte that is part of no valid sequence is the
 * unpaired surrogate U+DC00 + byte. So different bytes are different text, and text from the server
 * can be sent back and names the same lock.
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
        CharBuffer out = CharBuffer.allocate(bytes.length); // no byte gives more than one char
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

    /** The bytes of a text, or an {@link IllegalArgumentException} if it stands for none. */
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

    /** The name as the server knows it: no blanks at the ends, one SP for each run inside. */
    static String normalize(String name) {
        if (name.indexOf('\n') >= 0 || name.indexOf('\r') >= 0) {
            throw new IllegalArgumentException("A name must not contain CR or LF.");
        }
        String text = decode(encode(name)); // escaped bytes may add up to a character, even a blank
        var normal = new StringBuilder(text.length());
        boolean gap = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isBlank(c)) {
                gap = true;
                continue;
            }
            if (gap && normal.length() > 0) {
                normal.append(' ');
            }
            gap = false;
            normal.append(c);
        }
        return normal.toString();
    }

    /** The protocol's own set: neither that of Character.isWhitespace nor of isSpaceChar. */
    private static boolean isBlank(char c) {
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
