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
 * The fields of a request's body: one JSON object and nothing else. Every reader of a field says
 * what it must be; {@link #end} refuses those that nobody asked for.
 */
public final class JsonBody {
    private static final long MAX_SECONDS = 9_223_372_036L;
    private static final long NANOS = 1_000_000_000L;
    private static final int MAX_TOKEN = 256;

    private final JsonObject object;
    private final Set<String> left;

    private JsonBody(JsonObject object) {
        this.object = object;
        this.left = new java.util.HashSet<>(object.fieldNames());
    }

    /** Reads a body. */
    static JsonBody read(Buffer body) throws HttpProblem {
        if (body.length() == 0) {
            throw HttpProblem.badRequest("a JSON object is wanted as the body");
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
                    twice ? "the body has a field twice" : "the body is not one JSON value");
        }
        throw HttpProblem.badRequest("the body is not a JSON object");
    }

    /** No fields at all. */
    static JsonBody none() {
        return new JsonBody(new JsonObject());
    }

    public boolean has(String name) {
        return object.getValue(name) != null;
    }

    /** A whole number; 0 if there is none. */
    public long integer(String name) throws HttpProblem {
        return integer(name, 0);
    }

    /** A whole number of 64 bits. */
    public long integer(String name, long otherwise) throws HttpProblem {
        Object value = take(name);
        return switch (value) {
            case null -> otherwise;
            case Integer number -> number;
            case Long number -> number;
            default -> throw HttpProblem.badRequest(name + " is not a whole number of 64 bits");
        };
    }

    public long integer(String name, long otherwise, long least, long most) throws HttpProblem {
        long value = integer(name, otherwise);
        if (value < least || value > most) {
            throw HttpProblem.badRequest("%s must be %d-%d".formatted(name, least, most));
        }
        return value;
    }

    /** Seconds as nanoseconds; 0 if there are none. */
    public long seconds(String name) throws HttpProblem {
        return integer(name, 0, 0, MAX_SECONDS) * NANOS;
    }

    /** A text; null if there is none. */
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

    /** One of a few words. */
    public <E extends Enum<E>> E enumValue(String name, Class<E> words, @Nullable E otherwise)
            throws HttpProblem {
        String value = optionalText(name);
        if (value == null && otherwise != null) {
            return otherwise;
        }
        for (E word : words.getEnumConstants()) {
            if (word.name().toLowerCase(Locale.ROOT).equals(value)) {
                return word;
            }
        }
        StringBuilder known = new StringBuilder();
        for (E word : words.getEnumConstants()) {
            known.append(known.isEmpty() ? "" : " or ")
                    .append(word.name().toLowerCase(Locale.ROOT));
        }
        throw HttpProblem.badRequest(name + " must be " + known);
    }

    /** A text as section 18 wants tokens: not empty, not long, and no blanks in it. */
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

    /** Whether there is no line break in a text. */
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
        left.remove(name);
        return object.getValue(name);
    }

    /** Nobody asks for more. */
    public void end() throws HttpProblem {
        if (!left.isEmpty()) {
            throw HttpProblem.badRequest("unknown field " + left.iterator().next());
        }
    }
}
