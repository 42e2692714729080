package io.holdfast.client;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Validates the parts of a request. No line break is accepted, so no part can inject a line. */
final class ArgumentValidation {
    private static final int MAX_LINE = 256;
    private static final int MAX_PUSH = 65_536;

    private ArgumentValidation() {}

    /** Validates a key, a channel or a pattern. */
    static String key(String name, String key) {
        int bytes = bytes(name, key);
        if (bytes == 0 || bytes > MAX_LINE) {
            throw new IllegalArgumentException(
                    name + " must have 1 to " + MAX_LINE + " bytes but has " + bytes);
        }
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
                throw new IllegalArgumentException(
                        name + " must not contain spaces, tabs or line breaks");
            }
        }
        return key;
    }

    static String key(String key) {
        return key("key", key);
    }

    static String channel(String channel) {
        key("channel", channel);
        if (channel.indexOf('*') >= 0 || channel.indexOf('>') >= 0) {
            throw new IllegalArgumentException("channel must not contain the wildcards * and >");
        }
        return channel;
    }

    /** Validates the name of a queue group; empty for no group. */
    static String group(String group) {
        if (!group.strip().equals(group)) {
            throw new IllegalArgumentException("group must not start or end with whitespace");
        }
        return line("group", group, MAX_LINE);
    }

    static String payload(String channel, String payload) {
        if (payload.isBlank()) {
            throw new IllegalArgumentException("payload must not be blank");
        }
        return line("payload", payload, MAX_PUSH - 5 - bytes("channel", channel));
    }

    /** Validates an item of a list. */
    static String item(String item) {
        return notEmpty("item", line("item", item, MAX_LINE));
    }

    /**
     * Returns the value followed by its TTL, also if that is 0: without it the server would read a
     * number at the end of the value as the TTL.
     */
    static String value(String value, long seconds) {
        var tail = " " + seconds;
        return notEmpty("value", line("value", value, MAX_LINE - tail.length())) + tail;
    }

    static String token(String token) {
        return key("token", token);
    }

    private static String notEmpty(String name, String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(name + " must not be empty");
        }
        return text;
    }

    private static String line(String name, String text, int maxBytes) {
        int bytes = bytes(name, text);
        if (bytes > maxBytes) {
            throw new IllegalArgumentException(
                    name + " must have at most " + maxBytes + " bytes but has " + bytes);
        }
        if (text.indexOf('\r') >= 0 || text.indexOf('\n') >= 0) {
            throw new IllegalArgumentException(name + " must not contain line breaks");
        }
        return text;
    }

    /**
     * The length in UTF-8. Rejects unpaired surrogates: lenient encoding would replace them, so
     * that different keys became equal.
     */
    private static int bytes(String name, String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return encoded.remaining();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(name + " is not valid Unicode text", e);
        }
    }
}
