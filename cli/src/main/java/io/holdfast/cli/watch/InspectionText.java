package io.holdfast.cli.watch;

import io.holdfast.console.json.JsonValue;

/** Texts for connections, keys and deadlocks. */
final class InspectionText {
    private InspectionText() {}

    /** Returns the number of a connection. */
    static String number(JsonValue.ObjectValue connection) {
        return connection.optional("connection").isPresent()
                ? "#" + (long) connection.number("connection")
                : "unknown";
    }

    /** Returns the number, name and protocol of a connection. */
    static String connection(JsonValue.ObjectValue connection) {
        StringBuilder text = new StringBuilder(number(connection));
        if (!connection.text("name").isEmpty()) {
            text.append(' ').append(TerminalText.escaped(connection.text("name")));
        }
        if (!connection.text("protocol").isEmpty()) {
            text.append(" (").append(TerminalText.escaped(connection.text("protocol"))).append(')');
        }
        return text.toString();
    }

    /** Returns the kind and the key. */
    static String resource(JsonValue.ObjectValue resource) {
        return resource.text("kind") + " " + key(resource);
    }

    /** Returns the key, after its namespace if it has one. */
    static String key(JsonValue.ObjectValue of) {
        String namespace = of.text("namespace");
        String key = of.text("key");
        return (namespace.isEmpty() ? "" : shown(namespace) + ": ") + shown(key);
    }

    /** Escapes the name, and quotes it if it is empty or contains a space. */
    private static String shown(String name) {
        String escaped = TerminalText.escaped(name);
        return escaped.isEmpty() || escaped.contains(" ") ? "\"" + escaped + "\"" : escaped;
    }

    /** Whether both are the same resource. */
    static boolean isSame(JsonValue.ObjectValue one, JsonValue.ObjectValue other) {
        return one.text("kind").equals(other.text("kind"))
                && one.text("namespace").equals(other.text("namespace"))
                && one.text("key").equals(other.text("key"));
    }

    /**
     * Whether no member of the cycle has concurrent requests, with which it could still proceed.
     */
    static boolean isCertain(JsonValue.ArrayValue cycle) {
        return cycle.fields().stream()
                .map(member -> member.values().get("concurrent"))
                .noneMatch(
                        value ->
                                value instanceof JsonValue.Literal(var literal)
                                        && literal.equals("true"));
    }

    /** Returns whether the cycle is a deadlock or a possible one, as text. */
    static String deadlock(JsonValue.ArrayValue cycle) {
        return isCertain(cycle) ? "deadlock" : "possible deadlock";
    }

    /** Describes a cycle: each member waits for a key that the next one holds. */
    static String cycle(JsonValue.ArrayValue cycle) {
        var members = cycle.fields();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < members.size(); i++) {
            JsonValue.ObjectValue member = members.get(i);
            JsonValue.ObjectValue next = members.get((i + 1) % members.size());
            text.append(text.isEmpty() ? "" : "; ")
                    .append(i == 0 ? connection(member) : number(member))
                    .append(" waits for ")
                    .append(resource(member))
                    .append(", which ");
            text.append(
                    members.size() == 1
                            ? "it"
                            : i + 1 < members.size() ? connection(next) : number(next));
            text.append(members.size() == 1 ? " holds itself" : " holds");
        }
        return text.toString();
    }
}
