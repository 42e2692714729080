package io.holdfast.console.json;

import io.holdfast.console.output.JsonLine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** A JSON value, as far as it is needed to read a server's responses. */
public sealed interface JsonValue {
    record ObjectValue(Map<String, JsonValue> values) implements JsonValue {
        /** Returns the array of this name; null if there is none. */
        public @Nullable ArrayValue list(String name) {
            return values.get(name) instanceof ArrayValue arrayValue ? arrayValue : null;
        }

        /** Returns the objects in the array of this name; none if there is no array. */
        public List<ObjectValue> all(String name) {
            ArrayValue arrayValue = list(name);
            return arrayValue == null ? List.of() : arrayValue.fields();
        }

        /** Returns the object of this name; an empty object if there is none. */
        public ObjectValue fields(String name) {
            return values.get(name) instanceof ObjectValue objectValue
                    ? objectValue
                    : new ObjectValue(Map.of());
        }

        /** Returns the string of this name; empty if there is none. */
        public String text(String name) {
            return values.get(name) instanceof StringValue(var value) ? value : "";
        }

        /** Returns the number of this name; 0 if there is none. */
        public double number(String name) {
            return values.get(name) instanceof NumberValue(var value) ? value : 0;
        }

        /** Returns the number of this name; empty if it is missing or null. */
        public OptionalDouble optional(String name) {
            return values.get(name) instanceof NumberValue(var value)
                    ? OptionalDouble.of(value)
                    : OptionalDouble.empty();
        }

        @Override
        public String toString() {
            return values.entrySet().stream()
                    .map(entry -> quoted(entry.getKey()) + ":" + entry.getValue())
                    .collect(Collectors.joining(",", "{", "}"));
        }
    }

    record ArrayValue(List<JsonValue> values) implements JsonValue {
        /** Returns the elements that are objects. */
        public List<ObjectValue> fields() {
            return values.stream()
                    .filter(ObjectValue.class::isInstance)
                    .map(ObjectValue.class::cast)
                    .toList();
        }

        @Override
        public String toString() {
            return values.stream()
                    .map(JsonValue::toString)
                    .collect(Collectors.joining(",", "[", "]"));
        }
    }

    record StringValue(String value) implements JsonValue {
        @Override
        public String toString() {
            return quoted(value);
        }
    }

    record NumberValue(double value) implements JsonValue {
        /** Below this, all whole numbers are exact. */
        private static final double EXACT = 1L << 53;

        @Override
        public String toString() {
            boolean whole = value == Math.rint(value) && Math.abs(value) < EXACT;
            return whole ? Long.toString((long) value) : Double.toString(value);
        }
    }

    /** {@code true}, {@code false} or {@code null}. */
    record Literal(String value) implements JsonValue {
        @Override
        public String toString() {
            return value;
        }
    }

    /** Returns the value as JSON, on one line. */
    @Override
    String toString();

    private static String quoted(String text) {
        return JsonLine.quoted(text);
    }

    /** Throws {@link IllegalArgumentException} if the text is not one JSON value. */
    static JsonValue parse(String text) {
        var reader = new Reader(text);
        var value = reader.value(0);
        reader.end();
        return value;
    }

    /** Reads from left to right; {@code at} is the next character. */
    final class Reader {
        private static final int MAX_DEPTH = 64;

        private final String text;
        private int at;

        private Reader(String text) {
            this.text = text;
        }

        private JsonValue value(int depth) {
            if (depth > MAX_DEPTH) {
                throw wrong("nested too deeply");
            }
            skipWhitespace();
            return switch (peek()) {
                case '{' -> fields(depth);
                case '[' -> items(depth);
                case '"' -> new StringValue(string());
                case 't' -> literal("true");
                case 'f' -> literal("false");
                case 'n' -> literal("null");
                default -> number();
            };
        }

        private JsonValue fields(int depth) {
            var values = new LinkedHashMap<String, JsonValue>();
            expect('{');
            if (nextIs('}')) {
                return new ObjectValue(values);
            }
            do {
                skipWhitespace();
                var name = string();
                skipWhitespace();
                expect(':');
                values.put(name, value(depth + 1));
            } while (nextIs(','));
            expect('}');
            return new ObjectValue(values);
        }

        private JsonValue items(int depth) {
            var values = new ArrayList<JsonValue>();
            expect('[');
            if (nextIs(']')) {
                return new ArrayValue(values);
            }
            do {
                values.add(value(depth + 1));
            } while (nextIs(','));
            expect(']');
            return new ArrayValue(values);
        }

        private String string() {
            expect('"');
            var out = new StringBuilder();
            for (char c = take(); c != '"'; c = take()) {
                out.append(c == '\\' ? escaped() : c);
            }
            return out.toString();
        }

        private char escaped() {
            char c = take();
            return switch (c) {
                case '"', '\\', '/' -> c;
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'n' -> '\n';
                case 'r' -> '\r';
                case 't' -> '\t';
                case 'u' -> unicode();
                default -> throw wrong("unknown escape");
            };
        }

        private char unicode() {
            if (at + 4 > text.length()) {
                throw wrong("unfinished escape");
            }
            int unit = 0;
            for (int i = 0; i < 4; i++) {
                int digit = Character.digit(take(), 16);
                if (digit < 0) {
                    throw wrong("bad hex digit");
                }
                unit = unit * 16 + digit;
            }
            return (char) unit;
        }

        private JsonValue number() {
            int from = at;
            while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            try {
                return new NumberValue(Double.parseDouble(text.substring(from, at)));
            } catch (NumberFormatException e) {
                throw wrong("not a value");
            }
        }

        private JsonValue literal(String literal) {
            if (!text.startsWith(literal, at)) {
                throw wrong("not a value");
            }
            at += literal.length();
            return new Literal(literal);
        }

        private void end() {
            skipWhitespace();
            if (at < text.length()) {
                throw wrong("more after the value");
            }
        }

        private void expect(char c) {
            if (take() != c) {
                at--;
                throw wrong("expected '" + c + "'");
            }
        }

        private boolean nextIs(char c) {
            skipWhitespace();
            if (peek() != c) {
                return false;
            }
            at++;
            return true;
        }

        private char take() {
            char c = peek();
            at++;
            return c;
        }

        private char peek() {
            if (at >= text.length()) {
                throw wrong("ends too early");
            }
            return text.charAt(at);
        }

        private void skipWhitespace() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }

        private IllegalArgumentException wrong(String what) {
            return new IllegalArgumentException(what + " at character " + at);
        }
    }
}
