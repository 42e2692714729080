package io.holdfast.http.web;

import com.fasterxml.jackson.core.JsonParser;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.jackson.JacksonCodec;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/**
 * The fields of a request's body, which must be a single JSON object. Every method that reads a
 * field checks its type; {@link #end} refuses fields that were not read.
 */
public final class JsonBody {
    private static final long MAX_SECONDS = 9_223_372_036L;
    private static final long NANOS = 1_000_000_000L;
    private static final int MAX_TOKEN = 256;

    private final JsonObject object;
    private final Set<String> unread;

    private JsonBody(JsonObject object) {
        this.object = object;
        this.unread = new java.util.HashSet<>(object.fieldNames());
    }

    /** Parses a body. */
    static JsonBody read(Buffer body) throws HttpProblem {
        if (body.length() == 0) {
            throw HttpProblem.badRequest("the body must be a JSON object");
        }
        try {
            JsonParser parser = JacksonCodec.createParser(body);
            parser.enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
            Object value = JacksonCodec.fromParser(parser, Object.class);
            if (value instanceof JsonObject found) {
                return new JsonBody(found);
            }
        } catch (DecodeException e) {
            boolean twice = String.valueOf(e.getMessage()).contains("Duplicate field");
            throw HttpProblem.badRequest(
                    twice ? "the body has a field twice" : "the body is not a single JSON value");
        }
        throw HttpProblem.badRequest("the body is not a JSON object");
    }

    /** A body without fields. */
    static JsonBody none() {
        return new JsonBody(new JsonObject());
    }

    public boolean has(String name) {
        return object.getValue(name) != null;
    }

    /** An integer; 0 if it is missing. */
    public long integer(String name) throws HttpProblem {
        return integer(name, 0);
    }

    /** An integer of 64 bits. */
    public long integer(String name, long defaultValue) throws HttpProblem {
        Object value = take(name);
        return switch (value) {
            case null -> defaultValue;
            case Integer number -> number;
            case Long number -> number;
            default -> throw HttpProblem.badRequest(name + " is not a whole number of 64 bits");
        };
    }

    public long integer(String name, long defaultValue, long min, long max) throws HttpProblem {
        long value = integer(name, defaultValue);
        if (value < min || value > max) {
            throw HttpProblem.badRequest("%s must be %d-%d".formatted(name, min, max));
        }
        return value;
    }

    /** A duration in seconds, returned in nanoseconds; 0 if it is missing. */
    public long seconds(String name) throws HttpProblem {
        return integer(name, 0, 0, MAX_SECONDS) * NANOS;
    }

    /** A text; null if it is missing. */
    public @Nullable String optionalText(String name) throws HttpProblem {
        Object value = take(name);
        if (value == null) {
            return null;
        }
        if (value instanceof String text && isWellFormed(text)) {
            return text;
        }
        throw HttpProblem.badRequest(name + " is not a text");
    }

    public String text(String name) throws HttpProblem {
        String value = optionalText(name);
        if (value == null) {
            throw HttpProblem.badRequest(name + " is missing");
        }
        return value;
    }

    /**
     * The name of a constant in lower case.
     *
     * @param defaultValue used if the field is missing; null if the field is required
     */
    public <E extends Enum<E>> E enumValue(String name, Class<E> type, @Nullable E defaultValue)
            throws HttpProblem {
        String value = optionalText(name);
        if (value == null && defaultValue != null) {
            return defaultValue;
        }
        for (E constant : type.getEnumConstants()) {
            if (constant.name().toLowerCase(Locale.ROOT).equals(value)) {
                return constant;
            }
        }
        StringBuilder known = new StringBuilder();
        for (E constant : type.getEnumConstants()) {
            known.append(known.isEmpty() ? "" : " or ")
                    .append(constant.name().toLowerCase(Locale.ROOT));
        }
        throw HttpProblem.badRequest(name + " must be " + known);
    }

    /** A token: 1 to 256 bytes, without blanks and line breaks. */
    public String token(String name) throws HttpProblem {
        String value = text(name);
        if (!isPlain(value.getBytes(StandardCharsets.UTF_8))) {
            throw HttpProblem.badRequest(name + " must be 1-256 bytes without blanks");
        }
        return value;
    }

    static boolean isPlain(byte[] bytes) {
        for (byte c : bytes) {
            if (c == ' ' || c == '\t') {
                return false;
            }
        }
        return isOneLine(bytes) && bytes.length > 0 && bytes.length <= MAX_TOKEN;
    }

    /** Whether a text has no line break. */
    public static boolean isOneLine(byte[] bytes) {
        for (byte c : bytes) {
            if (c == '\r' || c == '\n') {
                return false;
            }
        }
        return true;
    }

    private static boolean isWellFormed(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private @Nullable Object take(String name) {
        unread.remove(name);
        return object.getValue(name);
    }

    /**
     * Called when all fields are read.
     *
     * @throws HttpProblem if the body has other fields
     */
    public void end() throws HttpProblem {
        if (!unread.isEmpty()) {
            throw HttpProblem.badRequest("unknown field " + unread.iterator().next());
        }
    }
}
