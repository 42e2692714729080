package io.holdfast.client;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A strict JSON parser: returns objects as maps, arrays as lists, strings, {@link BigDecimal}s,
 * booleans and null. The maximum nesting depth is 32.
 */
final class JsonReader {
    private static final int MAX_DEPTH = 32;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /**
     * @throws IllegalArgumentException if the text is not valid JSON
     */
    static @Nullable Object read(String text) {
        var jsonReader = new JsonReader(text);
        var value = jsonReader.value(0);
        jsonReader.skipWhitespace();
        if (jsonReader.at < text.length()) {
            throw jsonReader.bad("unexpected text after the end");
        }
        return value;
    }

    /** The value as an object; empty if it is not an object. */
    static Map<?, ?> object(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    /** The value as an array; empty if it is not an array. */
    static List<?> array(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    static String string(@Nullable Object value) {
        return value instanceof String string ? string : "";
    }

    /** The value as a number, without its fraction; 0 if it is not a number. */
    static long number(@Nullable Object value) {
        return value instanceof BigDecimal number && number.precision() - number.scale() < 19
                ? number.longValue()
                : 0;
    }

    private @Nullable Object value(int depth) {
        if (depth > MAX_DEPTH) {
            throw bad("nested too deeply");
        }
        skipWhitespace();
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> literal("true", true);
            case 'f' -> literal("false", false);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object(int depth) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        at++;
        if (!ends('}')) {
            do {
                skipWhitespace();
                var name = string();
                skipWhitespace();
                expect(':');
                map.put(name, value(depth + 1));
            } while (hasNext('}'));
        }
        return map;
    }

    private List<@Nullable Object> array(int depth) {
        var list = new ArrayList<@Nullable Object>();
        at++;
        if (!ends(']')) {
            do {
                list.add(value(depth + 1));
            } while (hasNext(']'));
        }
        return list;
    }

    private boolean ends(char end) {
        skipWhitespace();
        if (peek() == end) {
            at++;
            return true;
        }
        return false;
    }

    private boolean hasNext(char end) {
        if (ends(end)) {
            return false;
        }
        expect(',');
        return true;
    }

    private String string() {
        expect('"');
        var string = new StringBuilder();
        while (peek() != '"') {
            char c = text.charAt(at++);
            if (c < ' ') {
                throw bad("unescaped control character");
            }
            string.append(c == '\\' ? escaped() : c);
        }
        at++;
        return string.toString();
    }

    private char escaped() {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw bad("unknown escape");
        };
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            char c = peek();
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw bad("invalid escape");
            }
            code = code * 16 + digit;
            at++;
        }
        return (char) code;
    }

    private BigDecimal number() {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        var number = text.substring(start, at);
        if (!number.matches("-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?")) {
            throw bad("expected a value");
        }
        return new BigDecimal(number);
    }

    private <T extends @Nullable Object> T literal(String literal, T value) {
        if (!text.startsWith(literal, at)) {
            throw bad("unknown literal");
        }
        at += literal.length();
        return value;
    }

    private void skipWhitespace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw bad("unexpected end");
        }
        return text.charAt(at);
    }

    private void expect(char expected) {
        if (peek() != expected) {
            throw bad("expected " + expected);
        }
        at++;
    }

    private IllegalArgumentException bad(String what) {
        return new IllegalArgumentException("invalid JSON at offset " + at + ": " + what);
    }
}
