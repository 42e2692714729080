package io.holdfast.http.inspect;

import io.holdfast.driver.monitor.ServerEvent;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Selects the events of a stream. A condition that is null, or a connection of 0, matches
 * everything. Runs on the threads that produce the events, so it must be fast.
 */
record EventFilter(
        Set<KeyEvent.Type> types,
        Set<Other> others,
        @Nullable ResourceKind kind,
        @Nullable Namespace namespace,
        @Nullable ByteString key,
        @Nullable ByteString prefix,
        long connection)
        implements Predicate<ServerEvent> {
    /** Event types other than those of keys. */
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

    static EventFilter of(HttpExchange httpExchange) throws HttpProblem {
        String text = httpExchange.query("type");
        String number = httpExchange.query("connection");
        long connection = 0;
        try {
            connection = number == null ? 0 : Long.parseLong(number);
        } catch (NumberFormatException e) {
            throw HttpProblem.badRequest("connection must be a number");
        }
        Set<KeyEvent.Type> types = EnumSet.noneOf(KeyEvent.Type.class);
        Set<Other> others = EnumSet.noneOf(Other.class);
        if (text == null || text.isEmpty()) {
            types = EnumSet.allOf(KeyEvent.Type.class);
            others = EnumSet.allOf(Other.class);
        } else {
            for (String name : COMMA.split(text, -1)) {
                add(name, types, others);
            }
        }
        return new EventFilter(
                types,
                others,
                QueryParameters.kind(httpExchange),
                QueryParameters.namespace(httpExchange),
                bytes(httpExchange, "key"),
                bytes(httpExchange, "prefix"),
                connection);
    }

    private static void add(String name, Set<KeyEvent.Type> types, Set<Other> others)
            throws HttpProblem {
        for (KeyEvent.Type type : KeyEvent.Type.values()) {
            if (JsonFormat.label(type).equals(name)) {
                types.add(type);
                return;
            }
        }
        for (Other other : Other.values()) {
            if (other.name().toLowerCase(Locale.ROOT).equals(name)) {
                others.add(other);
                return;
            }
        }
        throw HttpProblem.badRequest("there are no events of the type " + name);
    }

    private static @Nullable ByteString bytes(HttpExchange httpExchange, String name)
            throws HttpProblem {
        byte[] bytes = httpExchange.queryBytes(name);
        return bytes == null ? null : ByteString.of(bytes);
    }

    @Override
    public boolean test(ServerEvent serverEvent) {
        return switch (serverEvent) {
            case ServerEvent.OnKey(var keyEvent, var _) -> test(keyEvent);
            case ServerEvent.SessionOpened(var session, var _, var _) ->
                    testSession(Other.SESSION_OPENED, session);
            case ServerEvent.SessionClosed(var session, var _, var _) ->
                    testSession(Other.SESSION_CLOSED, session);
            case ServerEvent.Gap(var _) -> true;
        };
    }

    private boolean test(KeyEvent keyEvent) {
        return types.contains(keyEvent.type())
                && (connection == 0 || connection == keyEvent.session())
                && isOn(keyEvent.kind(), keyEvent.key());
    }

    private boolean isOn(ResourceKind itsKind, Key itsKey) {
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

    /** Whether the stream includes operator actions. */
    boolean wantsAudit() {
        return others.contains(Other.AUDIT);
    }

    /** Whether the stream includes this operator action. */
    boolean test(OperatorAudit.Act act) {
        return switch (act) {
            case OperatorAudit.Released(var itsKind, var itsKey, var lost) ->
                    isOn(itsKind, itsKey)
                            && (connection == 0
                                    || lost.stream().anyMatch(it -> it.session() == connection));
            case OperatorAudit.Kicked(var session) -> isOn(session);
        };
    }
}
