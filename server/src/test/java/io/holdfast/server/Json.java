package io.holdfast.server;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A strict JSON parser for the stats response, without whitespace outside of strings. */
final class Json {
    private static final Pattern NUMBER =
            Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][-+]?\\d+)?");

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Objects are maps, arrays lists, numbers doubles. */
    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        if (json.at != text.length()) {
            throw json.malformed("more text");
        }
        return value;
    }

    private Object value() {
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            default -> number();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        expect('{');
        if (peek() != '}') {
            do {
                String name = string();
                expect(':');
                if (members.put(name, value()) != null) {
                    throw malformed("a name twice: " + name);
                }
            } while (readComma());
        }
        expect('}');
        return members;
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        expect('[');
        if (peek() != ']') {
            do {
                items.add(value());
            } while (readComma());
        }
        expect(']');
        return items;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        expect('"');
        while (peek() != '"') {
            char c = text.charAt(at++);
            if (c < 0x20) {
                throw malformed("a control character");
            }
            out.append(c == '\\' ? escaped() : c);
        }
        expect('"');
        return out.toString();
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
            case 'u' -> {
                at += 4;
                yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            default -> throw malformed("escape of " + c);
        };
    }

    private Double number() {
        Matcher matcher = NUMBER.matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) {
            throw malformed("no value");
        }
        at = matcher.end();
        return Double.valueOf(matcher.group());
    }

    private boolean readComma() {
        if (peek() != ',') {
            return false;
        }
        at++;
        return true;
    }

    private char peek() {
        if (at >= text.length()) {
            throw malformed("the end");
        }
        return text.charAt(at);
    }

    private void expect(char expected) {
        if (peek() != expected) {
            throw malformed("no " + expected);
        }
        at++;
    }

    private IllegalArgumentException malformed(String what) {
        String around = text.substring(Math.max(0, at - 40), Math.min(text.length(), at + 40));
        return new IllegalArgumentException(what + " at " + at + " of " + around);
    }
}
