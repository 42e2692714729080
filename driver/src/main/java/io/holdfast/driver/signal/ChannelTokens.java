package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Splits channels and patterns at dots into tokens, which may be empty. */
final class ChannelTokens {
    private ChannelTokens() {}

    static List<ByteString> of(Key text) {
        byte[] bytes = text.bytes();
        List<ByteString> tokens = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '.') {
                tokens.add(ByteString.of(Arrays.copyOfRange(bytes, start, i)));
                start = i + 1;
            }
        }
        return tokens;
    }

    /** {@code *}: matches exactly one token. */
    static boolean isStar(ByteString token) {
        return token.length() == 1 && token.bytes()[0] == '*';
    }

    /** {@code >}: matches one or more tokens up to the end. */
    static boolean isRest(ByteString token) {
        return token.length() == 1 && token.bytes()[0] == '>';
    }

    static boolean hasWildcard(Key text) {
        for (byte c : text.bytes()) {
            if (c == '*' || c == '>') {
                return true;
            }
        }
        return false;
    }

    /** Whether wildcards are whole tokens, and {@code >} is only used as the last one. */
    static boolean isPattern(List<ByteString> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            ByteString token = tokens.get(i);
            for (byte c : token.bytes()) {
                if ((c == '*' || c == '>') && token.length() > 1) {
                    return false;
                }
            }
            if (isRest(token) && i < tokens.size() - 1) {
                return false;
            }
        }
        return true;
    }
}
