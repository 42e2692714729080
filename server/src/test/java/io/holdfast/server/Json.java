package io.holdfast.server;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A strict reader of JSON, with no blanks outside strings, as the stats answer has it. */
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
            throw json.wrong("more text");
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
        take('{');
        if (peek() != '}') {
            do {
                String name = string();
                take(':');
                if (members.put(name, value()) != null) {
                    throw wrong("a name twice: " + name);
                }
            } while (tookComma());
        }
        take('}');
        return members;
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        take('[');
        if (peek() != ']') {
            do {
                items.add(value());
            } while (tookComma());
        }
        take(']');
        return items;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        take('"');
        while (peek() != '"') {
            char c = text.charAt(at++);
            if (c < 0x20) {
                throw wrong("a control character");
            }
            out.append(c == '\\' ? escaped() : c);
        }
        take('"');
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
            default -> throw wrong("escape of " + c);
        };
    }

    private Double number() {
        Matcher matcher = NUMBER.matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) {
            throw wrong("no value");
        }
        at = matcher.end();
        return Double.valueOf(matcher.group());
    }

    private boolean tookComma() {
        if (peek() != ',') {
            return false;
        }
        at++;
        return true;
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong("the end");
        }
        return text.charAt(at);
    }

    private void take(char expected) {
        if (peek() != expected) {
            throw wrong("no " + expected);
        }
        at++;
    }

    private IllegalArgumentException wrong(String what) {
        String around = text.substring(Math.max(0, at - 40), Math.min(text.length(), at + 40));
        return new IllegalArgumentException(what + " at " + at + " of " + around);
    }
}
