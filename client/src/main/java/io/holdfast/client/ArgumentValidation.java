package io.holdfast.client;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What may stand in a request, so that none can carry a line of its own. */
final class ArgumentValidation {
    private static final int MAX_LINE = 256;
    private static final int MAX_PUSH = 65_536;

    private ArgumentValidation() {}

    /** A key, a channel or a pattern. */
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
                        name + " must not have blanks, tabs or line breaks");
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
            throw new IllegalArgumentException("channel must not have the wildcards * and >");
        }
        return channel;
    }

    /** A group of listeners; empty for none. */
    static String group(String group) {
        if (!group.strip().equals(group)) {
            throw new IllegalArgumentException("group must not start or end with a blank");
        }
        return line("group", group, MAX_LINE);
    }

    static String payload(String channel, String payload) {
        if (payload.isBlank()) {
            throw new IllegalArgumentException("payload must not be blank");
        }
        return line("payload", payload, MAX_PUSH - 5 - bytes("channel", channel));
    }

    /** An item of a list. */
    static String item(String item) {
        return notEmpty("item", line("item", item, MAX_LINE));
    }

    /** A value with its time to live, always told: a number at its end would be taken for one. */
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

    private static String line(String name, String text, int longest) {
        int bytes = bytes(name, text);
        if (bytes > longest) {
            throw new IllegalArgumentException(
                    name + " must have at most " + longest + " bytes but has " + bytes);
        }
        if (text.indexOf('\r') >= 0 || text.indexOf('\n') >= 0) {
            throw new IllegalArgumentException(name + " must not have line breaks");
        }
        return text;
    }

    /** Refuses halves of surrogate pairs: encoded leniently, different keys would become one. */
    private static int bytes(String name, String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return encoded.remaining();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(name + " is not proper Unicode text", e);
        }
    }
}
