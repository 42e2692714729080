package io.holdfast.protocol.lockd;

import java.nio.charset.StandardCharsets;

/** Bytes and inputs as text, a character a byte. */
final class LockdText {
    private LockdText() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static String describe(LockdInput input) {
        return switch (input) {
            case LockdInput.Command(var word, var argument) ->
                    word.text() + "|" + text(argument.bytes());
            case LockdInput.Invalid() -> "invalid";
            case LockdInput.LooksLikeHttp() -> "http";
        };
    }
}
