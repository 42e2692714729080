package io.holdfast.cli.watch;

import io.holdfast.console.json.JsonValue;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Makes the tables of {@code top} from a sample. */
final class TopRows {
    private static final List<TextTable.Column> KEYS =
            List.of(
                    new TextTable.Column("KEY", false, 1000, 9),
                    new TextTable.Column("KIND", false, 9, 3),
                    new TextTable.Column("HELD", true, 9, 7),
                    new TextTable.Column("WAITING", true, 8, 8),
                    new TextTable.Column("HOLDER", false, 32, 4),
                    new TextTable.Column("FOR", true, 7, 6),
                    new TextTable.Column("LEASE", true, 7, 5));
    private static final List<TextTable.Column> CONNECTIONS =
            List.of(
                    new TextTable.Column("NAME", false, 1000, 9),
                    new TextTable.Column("NUMBER", true, 12, 8),
                    new TextTable.Column("PROTOCOL", false, 12, 5),
                    new TextTable.Column("HOLDS", true, 8, 7),
                    new TextTable.Column("WAITS", true, 8, 6),
                    new TextTable.Column("OPEN", true, 7, 4));
    private static final List<TextTable.Column> WAITS =
            List.of(
                    new TextTable.Column("WAITER", false, 1000, 9),
                    new TextTable.Column("FOR", false, 40, 8),
                    new TextTable.Column("POS", true, 6, 4),
                    new TextTable.Column("SINCE", true, 7, 6),
                    new TextTable.Column("BLOCKED BY", false, 40, 7));

    private TopRows() {}

    static TextTable table(TopSample topSample) {
        return switch (topSample.query().view()) {
            case KEYS ->
                    new TextTable(
                            KEYS, topSample.page().all("keys").stream().map(TopRows::key).toList());
            case CONNECTIONS ->
                    new TextTable(
                            CONNECTIONS,
                            topSample.page().all("connections").stream()
                                    .map(TopRows::connection)
                                    .toList());
            case WAITS ->
                    new TextTable(
                            WAITS,
                            waits(topSample).stream()
                                    .skip(topSample.query().offset())
                                    .limit(topSample.query().rows())
                                    .map(TopRows::wait)
                                    .toList());
        };
    }

    /** Returns the total number of rows, shown or not. */
    static int total(TopSample topSample) {
        return topSample.query().view() == TopView.WAITS
                ? waits(topSample).size()
                : (int) topSample.page().number("total");
    }

    private static List<String> key(JsonValue.ObjectValue key) {
        OptionalDouble limit = key.optional("limit");
        long holders = (long) key.number("holders");
        JsonValue.ObjectValue holder = key.fields("holder");
        String read = holder.text("mode").equals("read") ? " r" : "";
        return List.of(
                InspectionText.key(key),
                key.text("kind"),
                limit.isPresent() && limit.getAsDouble() > 1
                        ? holders + "/" + (long) limit.getAsDouble()
                        : holders + read,
                Long.toString((long) key.number("waiters")),
                holder.values().isEmpty() ? "-" : InspectionText.connection(holder),
                DurationFormatter.text(key.optional("held_s")),
                DurationFormatter.text(key.optional("lease_left_s")));
    }

    private static List<String> connection(JsonValue.ObjectValue connection) {
        return List.of(
                TerminalText.escaped(connection.text("name")),
                InspectionText.number(connection),
                TerminalText.escaped(connection.text("protocol")),
                Long.toString((long) connection.number("holds")),
                Long.toString((long) connection.number("waits")),
                DurationFormatter.text(connection.optional("open_s")));
    }

    private static List<String> wait(JsonValue.ObjectValue wait) {
        OptionalDouble position = wait.optional("position");
        List<JsonValue.ObjectValue> blockers = wait.all("blocked_by");
        return List.of(
                InspectionText.connection(wait),
                InspectionText.resource(wait),
                position.isPresent() ? Long.toString((long) position.getAsDouble()) : "-",
                DurationFormatter.text(wait.optional("waited_s")),
                blockers.isEmpty()
                        ? "-"
                        : blockers.stream()
                                        .limit(2)
                                        .map(InspectionText::connection)
                                        .collect(Collectors.joining(", "))
                                + (blockers.size() > 2
                                        ? " and " + (blockers.size() - 2) + " more"
                                        : ""));
    }

    /** Sorts and filters here, because the server returns all waits. */
    private static List<JsonValue.ObjectValue> waits(TopSample topSample) {
        TopQuery topQuery = topSample.query();
        String filter = topQuery.filter().toLowerCase(Locale.ROOT);
        return topSample.page().all("waits").stream()
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
