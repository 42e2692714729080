package io.holdfast.http.inspect;

import io.holdfast.driver.watch.Happening;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Event;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Namespace;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Problem;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What one who watches wants to see. Every part that is null lets all through. It is asked where
 * things happen, and so is quick.
 */
record EventFilter(
        @Nullable Set<String> types,
        @Nullable Kind kind,
        @Nullable Namespace namespace,
        @Nullable ByteString key,
        @Nullable ByteString prefix,
        long connection)
        implements Predicate<Happening> {
    static final String OPENED = "session_opened";
    static final String CLOSED = "session_closed";
    static final String AUDIT = "audit";
    static final String GAP = "gap";

    private static final Pattern COMMA = Pattern.compile(",");

    static EventFilter of(Exchange exchange) throws Problem {
        String text = exchange.query("type");
        String number = exchange.query("connection");
        long connection = 0;
        try {
            connection = number == null ? 0 : Long.parseLong(number);
        } catch (NumberFormatException e) {
            throw Problem.badRequest("connection must be a number");
        }
        return new EventFilter(
                text == null || text.isEmpty() ? null : types(text),
                Queries.kind(exchange),
                Queries.namespace(exchange),
                bytes(exchange, "key"),
                bytes(exchange, "prefix"),
                connection);
    }

    private static @Nullable ByteString bytes(Exchange exchange, String name) throws Problem {
        byte[] bytes = exchange.queryBytes(name);
        return bytes == null ? null : ByteString.of(bytes);
    }

    private static Set<String> types(String text) throws Problem {
        Set<String> known = new HashSet<>(Set.of(OPENED, CLOSED, AUDIT, GAP));
        for (Event.Type type : Event.Type.values()) {
            known.add(Show.word(type));
        }
        Set<String> types = new HashSet<>();
        for (String type : COMMA.split(text, -1)) {
            if (!known.contains(type)) {
                throw Problem.badRequest("there are no events of the type " + type);
            }
            types.add(type);
        }
        return types;
    }

    @Override
    public boolean test(Happening happening) {
        return switch (happening) {
            case Happening.OnKey(var event, var _) -> test(event);
            case Happening.Opened(var session, var _, var _) -> testSession(OPENED, session);
            case Happening.Closed(var session, var _, var _) -> testSession(CLOSED, session);
            case Happening.Gap(var _) -> true;
        };
    }

    private boolean test(Event event) {
        byte[] bytes = event.key().bytes();
        return (types == null || types.contains(Show.word(event.type())))
                && (kind == null || kind == event.kind())
                && (connection == 0 || connection == event.session())
                && (namespace == null || namespace.equals(event.key().namespace()))
                && (key == null || Arrays.equals(key.bytes(), bytes))
                && (prefix == null || startsWith(bytes, prefix.bytes()));
    }

    private static boolean startsWith(byte[] bytes, byte[] start) {
        return bytes.length >= start.length
                && Arrays.equals(bytes, 0, start.length, start, 0, start.length);
    }

    private boolean testSession(String type, long session) {
        return wants(type)
                && (connection == 0 || connection == session)
                && kind == null
                && namespace == null
                && key == null
                && prefix == null;
    }

    /** Whether events of a type are wanted at all. */
    boolean wants(String type) {
        return types == null || types.contains(type);
    }
}
