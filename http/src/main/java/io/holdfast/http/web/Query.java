package io.holdfast.http.web;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** The parameters after the question mark. */
final class Query {
    private static final Pattern AND = Pattern.compile("&");

    private final Map<String, byte[]> parameters = new HashMap<>();

    private Query() {}

    /** Reads a query; the first of several parameters of one name counts. */
    static Query of(@Nullable String text) throws Problem {
        Query query = new Query();
        if (text == null) {
            return query;
        }
        for (String pair : AND.split(text, -1)) {
            int equals = pair.indexOf('=');
            byte[] name = Percent.decode(equals < 0 ? pair : pair.substring(0, equals), true);
            byte[] value = Percent.decode(equals < 0 ? "" : pair.substring(equals + 1), true);
            if (name == null || value == null) {
                throw Problem.badRequest("the query is not well encoded");
            }
            query.parameters.putIfAbsent(new String(name, StandardCharsets.UTF_8), value);
        }
        return query;
    }

    byte @Nullable [] bytes(String name) {
        return parameters.get(name);
    }
}
