package io.holdfast.console.output;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.stream.Collectors;

/** A JSON object on one line, built member by member. */
public final class JsonLine {
    private final StringBuilder text = new StringBuilder("{");

    public JsonLine put(String name, @Nullable String value) {
        return raw(name, value == null ? "null" : quoted(value));
    }

    public JsonLine put(String name, @Nullable Long value) {
        return raw(name, String.valueOf(value));
    }

    public JsonLine put(String name, boolean value) {
        return raw(name, String.valueOf(value));
    }

    public JsonLine put(String name, @Nullable JsonLine value) {
        return raw(name, String.valueOf(value));
    }

    public JsonLine put(String name, List<JsonLine> values) {
        return raw(
                name,
                values.stream().map(JsonLine::toString).collect(Collectors.joining(",", "[", "]")));
    }

    /** Puts a value that is already JSON. */
    public JsonLine raw(String name, String json) {
        if (text.length() > 1) {
            text.append(',');
        }
        text.append(quoted(name)).append(':').append(json);
        return this;
    }

    /** Returns the text as a JSON string. */
    public static String quoted(String value) {
        StringBuilder out = new StringBuilder("\"");
        value.codePoints().forEach(c -> append(c, out));
        return out.append('"').toString();
    }

    private static void append(int c, StringBuilder out) {
        switch (c) {
            case '"', '\\' -> out.append('\\').append((char) c);
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (needsNumber(c)) {
                    out.append(String.format("\\u%04x", c));
                } else {
                    out.appendCodePoint(c);
                }
            }
        }
    }

    /** Whether it may end a line, control a terminal, or cannot be encoded as UTF-8. */
    private static boolean needsNumber(int c) {
        return Character.isISOControl(c)
                || c == 0x2028
                || c == 0x2029
                || (Character.getType(c) == Character.FORMAT && Character.isBmpCodePoint(c))
                || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
