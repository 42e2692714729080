package io.holdfast.cli.watch;

import io.holdfast.cli.json.JsonValue;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The tables of {@code top}, made of what a server tells. */
final class Rows {
    private static final List<Table.Column> KEYS =
            List.of(
                    new Table.Column("KEY", false, 1000, 9),
                    new Table.Column("KIND", false, 9, 3),
                    new Table.Column("HELD", true, 9, 7),
                    new Table.Column("WAITING", true, 8, 8),
                    new Table.Column("HOLDER", false, 32, 4),
                    new Table.Column("FOR", true, 7, 6),
                    new Table.Column("LEASE", true, 7, 5));
    private static final List<Table.Column> CONNECTIONS =
            List.of(
                    new Table.Column("NAME", false, 1000, 9),
                    new Table.Column("NUMBER", true, 12, 8),
                    new Table.Column("PROTOCOL", false, 12, 5),
                    new Table.Column("HOLDS", true, 8, 7),
                    new Table.Column("WAITS", true, 8, 6),
                    new Table.Column("OPEN", true, 7, 4));
    private static final List<Table.Column> WAITS =
            List.of(
                    new Table.Column("WHO WAITS", false, 1000, 9),
                    new Table.Column("FOR", false, 40, 8),
                    new Table.Column("PLACE", true, 6, 4),
                    new Table.Column("SINCE", true, 7, 6),
                    new Table.Column("BLOCKED BY", false, 40, 7));

    private Rows() {}

    static Table table(Sample sample) {
        return switch (sample.query().view()) {
            case KEYS ->
                    new Table(KEYS, sample.page().all("keys").stream().map(Rows::key).toList());
            case CONNECTIONS ->
                    new Table(
                            CONNECTIONS,
                            sample.page().all("connections").stream()
                                    .map(Rows::connection)
                                    .toList());
            case WAITS ->
                    new Table(
                            WAITS,
                            waits(sample).stream()
                                    .skip(sample.query().offset())
                                    .limit(sample.query().rows())
                                    .map(Rows::wait)
                                    .toList());
        };
    }

    /** How many rows there are, shown or not. */
    static int total(Sample sample) {
        return sample.query().view() == View.WAITS
                ? waits(sample).size()
                : (int) sample.page().number("total");
    }

    private static List<String> key(JsonValue.ObjectValue key) {
        OptionalDouble limit = key.optional("limit");
        long holders = (long) key.number("holders");
        JsonValue.ObjectValue holder = key.fields("holder");
        String read = holder.text("mode").equals("read") ? " r" : "";
        return List.of(
                Names.key(key),
                key.text("kind"),
                limit.isPresent() && limit.getAsDouble() > 1
                        ? holders + "/" + (long) limit.getAsDouble()
                        : holders + read,
                Long.toString((long) key.number("waiters")),
                holder.values().isEmpty() ? "-" : Names.connection(holder),
                DurationText.text(key.optional("held_s")),
                DurationText.text(key.optional("lease_left_s")));
    }

    private static List<String> connection(JsonValue.ObjectValue connection) {
        return List.of(
                TerminalText.escaped(connection.text("name")),
                Names.number(connection),
                TerminalText.escaped(connection.text("protocol")),
                Long.toString((long) connection.number("holds")),
                Long.toString((long) connection.number("waits")),
                DurationText.text(connection.optional("open_s")));
    }

    private static List<String> wait(JsonValue.ObjectValue wait) {
        OptionalDouble position = wait.optional("position");
        List<JsonValue.ObjectValue> blockers = wait.all("blocked_by");
        return List.of(
                Names.connection(wait),
                Names.resource(wait),
                position.isPresent() ? Long.toString((long) position.getAsDouble()) : "-",
                DurationText.text(wait.optional("waited_s")),
                blockers.isEmpty()
                        ? "-"
                        : blockers.stream()
                                        .limit(2)
                                        .map(Names::connection)
                                        .collect(Collectors.joining(", "))
                                + (blockers.size() > 2
                                        ? " and " + (blockers.size() - 2) + " more"
                                        : ""));
    }

    /** Sorted and filtered here: the server tells all of them. */
    private static List<JsonValue.ObjectValue> waits(Sample sample) {
        TopQuery topQuery = sample.query();
        String filter = topQuery.filter().toLowerCase(Locale.ROOT);
        return sample.page().all("waits").stream()
                .filter(
                        wait ->
                                (wait.text("key") + "\n" + wait.text("name"))
                                        .toLowerCase(Locale.ROOT)
                                        .contains(filter))
                .sorted(order(topQuery))
                .toList();
    }

    private static Comparator<JsonValue.ObjectValue> order(TopQuery topQuery) {
        Comparator<JsonValue.ObjectValue> order =
                switch (topQuery.sorting().name()) {
                    case "connection" -> by(wait -> wait.number("connection"));
                    case "key" -> Comparator.comparing(wait -> wait.text("key"));
                    default -> by(wait -> wait.number("waited_s"));
                };
        return topQuery.isDescending() ? order.reversed() : order;
    }

    private static Comparator<JsonValue.ObjectValue> by(
            ToDoubleFunction<JsonValue.ObjectValue> number) {
        return Comparator.comparingDouble(number);
    }
}
