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

    static String describe(LockdDecoderResult input) {
        return switch (input) {
            case LockdDecoderResult.Command(var word, var argument) ->
                    word.text() + "|" + text(argument.bytes());
            case LockdDecoderResult.Invalid() -> "invalid";
            case LockdDecoderResult.LooksLikeHttp() -> "http";
        };
    }
}
