package io.holdfast.http.web;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** The parameters of the query. */
final class QueryString {
    private static final Pattern AND = Pattern.compile("&");

    private final Map<String, byte[]> parameters = new HashMap<>();

    private QueryString() {}

    /** Parses a query; of several parameters with one name, the first is used. */
    static QueryString of(@Nullable String text) throws HttpProblem {
        QueryString queryString = new QueryString();
        if (text == null) {
            return queryString;
        }
        for (String pair : AND.split(text, -1)) {
            int equals = pair.indexOf('=');
            byte[] name =
                    PercentEncoding.decode(equals < 0 ? pair : pair.substring(0, equals), true);
            byte[] value =
                    PercentEncoding.decode(equals < 0 ? "" : pair.substring(equals + 1), true);
            if (name == null || value == null) {
                throw HttpProblem.badRequest("the query is not well encoded");
            }
            queryString.parameters.putIfAbsent(new String(name, StandardCharsets.UTF_8), value);
        }
        return queryString;
    }

    byte @Nullable [] bytes(String name) {
        return parameters.get(name);
    }
}
