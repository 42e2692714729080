package io.holdfast.console.json;

import io.holdfast.console.output.JsonLine;

import org.jspecify.annotations.Nullable;

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
        return JsonReader.read(text);
    }
}
