package io.holdfast.lockfile;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the JSON of the fixtures: objects, lists, strings, whole numbers, true, false, null. */
final class PlainJson {
    private final String text;
    private int at;

    private PlainJson(String text) {
        this.text = text;
    }

    static Object read(String text) {
        PlainJson json = new PlainJson(text);
        Object value = json.value();
        json.skipBlanks();
        json.check(json.at == text.length());
        return value;
    }

    private Object value() {
        skipBlanks();
        return switch (text.charAt(at)) {
            case '{' -> object();
            case '[' -> list();
            case '"' -> string();
            default -> word();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        at++;
        while (!takes('}')) {
            check(members.isEmpty() || takes(','));
            skipBlanks();
            String key = string();
            check(takes(':'));
            check(!members.containsKey(key));
            members.put(key, value());
        }
        return members;
    }

    private List<Object> list() {
        List<Object> elements = new ArrayList<>();
        at++;
        while (!takes(']')) {
            check(elements.isEmpty() || takes(','));
            elements.add(value());
        }
        return elements;
    }

    private String string() {
        StringBuilder value = new StringBuilder();
        check(text.charAt(at++) == '"');
        for (char next = text.charAt(at++); next != '"'; next = text.charAt(at++)) {
            value.append(next == '\\' ? escaped() : next);
        }
        return value.toString();
    }

    private char escaped() {
        char kind = text.charAt(at++);
        if (kind == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        check(kind == '"' || kind == '\\' || kind == '/');
        return kind;
    }

    private Object word() {
        int from = at;
        while (at < text.length() && Character.isLetterOrDigit(text.charAt(at))) {
            at++;
        }
        String word = text.substring(from, at);
        return switch (word) {
            case "null" -> null;
            case "true" -> true;
            case "false" -> false;
            default -> Long.valueOf(word);
        };
    }

    private boolean takes(char expected) {
        skipBlanks();
        boolean there = text.charAt(at) == expected;
        at += there ? 1 : 0;
        return there;
    }

    private void skipBlanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private void check(boolean condition) {
        if (!condition) {
            throw new IllegalArgumentException("unsupported JSON at character " + at);
        }
    }
}
