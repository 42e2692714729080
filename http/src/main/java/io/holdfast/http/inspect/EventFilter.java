package io.holdfast.http.inspect;

import io.holdfast.driver.watch.Happening;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Event;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Namespace;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Problem;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What one who watches wants to see. Every part that is null, and the connection 0, lets all
 * through. It is asked where things happen, and so is quick.
 */
record EventFilter(
        Set<Event.Type> types,
        Set<Other> others,
        @Nullable Kind kind,
        @Nullable Namespace namespace,
        @Nullable ByteString key,
        @Nullable ByteString prefix,
        long connection)
        implements Predicate<Happening> {
    /** What is told besides what happens to keys. */
    enum Other {
        SESSION_OPENED,
        SESSION_CLOSED,
        AUDIT,
        GAP
    }

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
        Set<Event.Type> types = EnumSet.noneOf(Event.Type.class);
        Set<Other> others = EnumSet.noneOf(Other.class);
        if (text == null || text.isEmpty()) {
            types = EnumSet.allOf(Event.Type.class);
            others = EnumSet.allOf(Other.class);
        } else {
            for (String word : COMMA.split(text, -1)) {
                add(word, types, others);
            }
        }
        return new EventFilter(
                types,
                others,
                Queries.kind(exchange),
                Queries.namespace(exchange),
                bytes(exchange, "key"),
                bytes(exchange, "prefix"),
                connection);
    }

    private static void add(String word, Set<Event.Type> types, Set<Other> others) throws Problem {
        for (Event.Type type : Event.Type.values()) {
            if (Show.word(type).equals(word)) {
                types.add(type);
                return;
            }
        }
        for (Other other : Other.values()) {
            if (other.name().toLowerCase(Locale.ROOT).equals(word)) {
                others.add(other);
                return;
            }
        }
        throw Problem.badRequest("there are no events of the type " + word);
    }

    private static @Nullable ByteString bytes(Exchange exchange, String name) throws Problem {
        byte[] bytes = exchange.queryBytes(name);
        return bytes == null ? null : ByteString.of(bytes);
    }

    @Override
    public boolean test(Happening happening) {
        return switch (happening) {
            case Happening.OnKey(var event, var _) -> test(event);
            case Happening.Opened(var session, var _, var _) ->
                    testSession(Other.SESSION_OPENED, session);
            case Happening.Closed(var session, var _, var _) ->
                    testSession(Other.SESSION_CLOSED, session);
            case Happening.Gap(var _) -> true;
        };
    }

    private boolean test(Event event) {
        return types.contains(event.type())
                && (connection == 0 || connection == event.session())
                && isOn(event.kind(), event.key());
    }

    private boolean isOn(Kind itsKind, Key itsKey) {
        byte[] bytes = itsKey.bytes();
        return (kind == null || kind == itsKind)
                && (namespace == null || namespace.equals(itsKey.namespace()))
                && (key == null || Arrays.equals(key.bytes(), bytes))
                && (prefix == null || startsWith(bytes, prefix.bytes()));
    }

    private static boolean startsWith(byte[] bytes, byte[] start) {
        return bytes.length >= start.length
                && Arrays.equals(bytes, 0, start.length, start, 0, start.length);
    }

    private boolean testSession(Other type, long session) {
        return others.contains(type) && isOn(session);
    }

    private boolean isOn(long session) {
        return (connection == 0 || connection == session)
                && kind == null
                && namespace == null
                && key == null
                && prefix == null;
    }

    /** Whether what operators do is wanted at all. */
    boolean wantsAudit() {
        return others.contains(Other.AUDIT);
    }

    /** Whether one act of an operator is wanted. */
    boolean test(Audit.Act act) {
        return switch (act) {
            case Audit.Released(var itsKind, var itsKey, var lost) ->
                    isOn(itsKind, itsKey)
                            && (connection == 0
                                    || lost.stream().anyMatch(it -> it.session() == connection));
            case Audit.Kicked(var session) -> isOn(session);
        };
    }
}
