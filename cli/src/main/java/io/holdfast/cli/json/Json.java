package io.holdfast.cli.json;

import io.holdfast.cli.output.JsonLine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** A JSON value, enough of it to read what a server tells. */
public sealed interface Json {
    record Fields(Map<String, Json> values) implements Json {
        /** The array of this name; null if there is none. */
        public @Nullable Items list(String name) {
            return values.get(name) instanceof Items items ? items : null;
        }

        /** The objects in the array of this name; none if there is no array. */
        public List<Fields> all(String name) {
            Items items = list(name);
            return items == null ? List.of() : items.fields();
        }

        /** The object of this name; one without fields if there is none. */
        public Fields fields(String name) {
            return values.get(name) instanceof Fields fields ? fields : new Fields(Map.of());
        }

        /** The string of this name; empty if there is none. */
        public String text(String name) {
            return values.get(name) instanceof Text(var value) ? value : "";
        }

        /** The number of this name; 0 if there is none. */
        public double number(String name) {
            return values.get(name) instanceof Numeral(var value) ? value : 0;
        }

        /** The number of this name, which may be missing or null. */
        public OptionalDouble optional(String name) {
            return values.get(name) instanceof Numeral(var value)
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

    record Items(List<Json> values) implements Json {
        /** The objects among them. */
        public List<Fields> fields() {
            return values.stream()
                    .filter(Fields.class::isInstance)
                    .map(Fields.class::cast)
                    .toList();
        }

        @Override
        public String toString() {
            return values.stream().map(Json::toString).collect(Collectors.joining(",", "[", "]"));
        }
    }

    record Text(String value) implements Json {
        @Override
        public String toString() {
            return quoted(value);
        }
    }

    record Numeral(double value) implements Json {
        /** Below this, all whole numbers are exact. */
        private static final double EXACT = 1L << 53;

        @Override
        public String toString() {
            boolean whole = value == Math.rint(value) && Math.abs(value) < EXACT;
            return whole ? Long.toString((long) value) : Double.toString(value);
        }
    }

    /** {@code true}, {@code false} or {@code null}. */
    record Word(String value) implements Json {
        @Override
        public String toString() {
            return value;
        }
    }

    /** As JSON again, on one line. */
    @Override
    String toString();

    private static String quoted(String text) {
        return JsonLine.quoted(text);
    }

    /** Throws {@link IllegalArgumentException} if the text is not one JSON value. */
    static Json parse(String text) {
        var reader = new Reader(text);
        var value = reader.value(0);
        reader.end();
        return value;
    }

    /** Reads from left to right; {@code at} is the next character. */
    final class Reader {
        private static final int DEEPEST = 64;

        private final String text;
        private int at;

        private Reader(String text) {
            this.text = text;
        }

        private Json value(int depth) {
            if (depth > DEEPEST) {
                throw wrong("nested too deeply");
            }
            skipBlanks();
            return switch (peek()) {
                case '{' -> fields(depth);
                case '[' -> items(depth);
                case '"' -> new Text(string());
                case 't' -> word("true");
                case 'f' -> word("false");
                case 'n' -> word("null");
                default -> number();
            };
        }

        private Json fields(int depth) {
            var values = new LinkedHashMap<String, Json>();
            expect('{');
            if (nextIs('}')) {
                return new Fields(values);
            }
            do {
                skipBlanks();
                var name = string();
                skipBlanks();
                expect(':');
                values.put(name, value(depth + 1));
            } while (nextIs(','));
            expect('}');
            return new Fields(values);
        }

        private Json items(int depth) {
            var values = new ArrayList<Json>();
            expect('[');
            if (nextIs(']')) {
                return new Items(values);
            }
            do {
                values.add(value(depth + 1));
            } while (nextIs(','));
            expect(']');
            return new Items(values);
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

        private Json number() {
            int from = at;
            while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            try {
                return new Numeral(Double.parseDouble(text.substring(from, at)));
            } catch (NumberFormatException e) {
                throw wrong("not a value");
            }
        }

        private Json word(String word) {
            if (!text.startsWith(word, at)) {
                throw wrong("not a value");
            }
            at += word.length();
            return new Word(word);
        }

        private void end() {
            skipBlanks();
            if (at < text.length()) {
                throw wrong("more after the value");
            }
        }

        private void expect(char c) {
            if (take() != c) {
                at--;
                throw wrong("want '" + c + "'");
            }
        }

        private boolean nextIs(char c) {
            skipBlanks();
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

        private void skipBlanks() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }

        private IllegalArgumentException wrong(String what) {
            return new IllegalArgumentException(what + " at character " + at);
        }
    }
}
