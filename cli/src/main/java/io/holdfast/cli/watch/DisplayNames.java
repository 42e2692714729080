package io.holdfast.cli.watch;

import io.holdfast.cli.json.JsonValue;

/** What things are called, for people. */
final class DisplayNames {
    private DisplayNames() {}

    /** A connection by its number alone. */
    static String number(JsonValue.ObjectValue connection) {
        return connection.optional("connection").isPresent()
                ? "#" + (long) connection.number("connection")
                : "somebody";
    }

    /** A connection by its number, its name and its protocol. */
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

    /** A key with its kind. */
    static String resource(JsonValue.ObjectValue resource) {
        return resource.text("kind") + " " + key(resource);
    }

    /** A key, behind its namespace if it has one. */
    static String key(JsonValue.ObjectValue of) {
        String namespace = of.text("namespace");
        String key = of.text("key");
        return (namespace.isEmpty() ? "" : shown(namespace) + ": ") + shown(key);
    }

    /** In quotes where it would be mistaken for something else. */
    private static String shown(String name) {
        String escaped = TerminalText.escaped(name);
        return escaped.isEmpty() || escaped.contains(" ") ? "\"" + escaped + "\"" : escaped;
    }

    /** Whether both are about the same. */
    static boolean isSame(JsonValue.ObjectValue one, JsonValue.ObjectValue other) {
        return one.text("kind").equals(other.text("kind"))
                && one.text("namespace").equals(other.text("namespace"))
                && one.text("key").equals(other.text("key"));
    }

    /** Whether nobody in a cycle does several things at once, and so may still go on. */
    static boolean isCertain(JsonValue.ArrayValue cycle) {
        return cycle.fields().stream()
                .map(member -> member.values().get("concurrent"))
                .noneMatch(
                        value ->
                                value instanceof JsonValue.Literal(var word)
                                        && word.equals("true"));
    }

    /** What a cycle is. */
    static String deadlock(JsonValue.ArrayValue cycle) {
        return isCertain(cycle) ? "deadlock" : "possible deadlock";
    }

    /** Each waits for what the next one holds. */
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
