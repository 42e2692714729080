package io.holdfast.cli.watch;

import io.holdfast.console.json.JsonValue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Explains the state of a key: one sentence for each resource of the key, then the details.
 *
 * @param key the server's data of the key
 * @param connections the server's data of the connections that hold it or wait, by number
 * @param waits the server's wait-for graph
 * @param max maximum number of holders, and of waiters, to show
 */
record KeyExplanation(
        JsonValue.ObjectValue key,
        Map<Long, JsonValue.ObjectValue> connections,
        JsonValue.ObjectValue waits,
        int max) {
    private static final int MAX_EVENTS = 10;
    private static final int MAX_HOLDS_AND_WAITERS = 5;
    private static final int MAX_CHAIN = 10;
    private static final int EVENT_WIDTH = "timed_out".length();

    /** The resources of the key that have holders or waiters. */
    private List<JsonValue.ObjectValue> resources() {
        return key.all("resources");
    }

    /** Whether the key has holders or waiters. */
    boolean isInUse() {
        return resources().stream()
                .anyMatch(r -> r.number("holders_total") > 0 || r.number("waiters_total") > 0);
    }

    List<String> sentences() {
        return resources().stream().map(this::sentence).toList();
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (JsonValue.ObjectValue resource : resources()) {
            lines.add("");
            lines.add(title(resource));
            holders(resource, lines);
            waiters(resource, lines);
            history(resource, lines);
        }
        for (JsonValue.ArrayValue cycle : cycles()) {
            lines.add("");
            lines.add(InspectionText.deadlock(cycle) + ":");
            lines.add("  " + InspectionText.cycle(cycle));
        }
        return lines;
    }

    /** Returns the deadlocks that contain the key or one of its holders. */
    List<JsonValue.ArrayValue> cycles() {
        return resources().stream().flatMap(r -> cycles(r).stream()).distinct().toList();
    }

    // The sentences

    private String sentence(JsonValue.ObjectValue resource) {
        String name = name(resource);
        List<JsonValue.ObjectValue> holders = resource.all("holders");
        long waiting = (long) resource.number("waiters_total");
        List<JsonValue.ArrayValue> cycles = cycles(resource);
        if (!cycles.isEmpty()) {
            JsonValue.ArrayValue cycle = cycles.getFirst();
            boolean through = cycle.fields().stream().anyMatch(isThis(resource));
            return name
                    + (InspectionText.isCertain(cycle) ? " is" : " may be")
                    + (through ? " stuck in a " : " stuck because its holder is in a ")
                    + InspectionText.deadlock(cycle)
                    + ": "
                    + InspectionText.cycle(cycle)
                    + ". It ends when one of the waits is cancelled or times out, or one of the"
                    + " holds is released or expires.";
        }
        OptionalDouble quarantine = key.optional("quarantine_left_s");
        if (holders.isEmpty() && waiting > 0 && quarantine.isPresent()) {
            return name
                    + " is not granted for another "
                    + DurationFormatter.text(quarantine)
                    + ", because the server was not stopped cleanly, or the cluster was recovered,"
                    + " and clients may still hold it: "
                    + count(waiting)
                    + ".";
        }
        if (holders.isEmpty()) {
            return waiting == 0
                    ? name + " is free: it has no holders and no waiters."
                    : name
                            + " is being granted to the next waiter: it has no holder, "
                            + count(waiting)
                            + ".";
        }
        StringBuilder text = new StringBuilder(held(resource, name, holders));
        text.append(chain(holders.getFirst()));
        if (waiting == 0) {
            text.append("; no waiters.");
        } else {
            text.append("; ").append(count(waiting));
            List<JsonValue.ObjectValue> waiters = resource.all("waiters");
            if (!waiters.isEmpty()) {
                text.append(waiting == 1 ? ", for " : ", the first for ")
                        .append(DurationFormatter.text(waiters.getFirst().number("waited_s")));
            }
            text.append(". ").append(outlook(holders));
        }
        return text.toString();
    }

    private static String count(long waiting) {
        return waiting == 1 ? "one waits" : waiting + " wait";
    }

    private String held(
            JsonValue.ObjectValue resource, String name, List<JsonValue.ObjectValue> holders) {
        JsonValue.ObjectValue first = holders.getFirst();
        long total = (long) resource.number("holders_total");
        if (total == 1 && first.text("state").equals("offered")) {
            return name
                    + " is offered to "
                    + InspectionText.connection(first)
                    + ", which has not confirmed it";
        }
        if (resource.text("kind").equals("semaphore")) {
            return name + ": " + total + " of " + (long) resource.number("limit") + " are held";
        }
        if (total > 1) {
            return name + " is held by " + total + (isRead(first) ? " readers" : " holders");
        }
        return name
                + " is held by "
                + InspectionText.connection(first)
                + (isRead(first) ? " to read" : "")
                + " for "
                + DurationFormatter.text(first.number("held_s"));
    }

    private static boolean isRead(JsonValue.ObjectValue holder) {
        return holder.text("mode").equals("read");
    }

    /** Returns what the holder itself waits for, the holder of that key, and so on. */
    private String chain(JsonValue.ObjectValue holder) {
        StringBuilder text = new StringBuilder();
        Set<Double> seen = new HashSet<>();
        JsonValue.ObjectValue at = holder;
        while (seen.size() < MAX_CHAIN && seen.add(at.number("connection"))) {
            double number = at.number("connection");
            JsonValue.ObjectValue wait =
                    waits.all("waits").stream()
                            .filter(w -> w.number("connection") == number)
                            .findFirst()
                            .orElse(null);
            if (wait == null || wait.all("blocked_by").isEmpty()) {
                return text.toString();
            }
            at = wait.all("blocked_by").getFirst();
            text.append(text.isEmpty() ? ", which itself waits for " : ", which waits for ")
                    .append(InspectionText.resource(wait))
                    .append(", held by ")
                    .append(InspectionText.connection(at));
        }
        return text.toString();
    }

    private static String outlook(List<JsonValue.ObjectValue> holders) {
        OptionalDouble soonest =
                holders.stream()
                        .map(holder -> holder.optional("lease_left_s"))
                        .filter(OptionalDouble::isPresent)
                        .mapToDouble(OptionalDouble::getAsDouble)
                        .min();
        return soonest.isPresent()
                ? (holders.size() == 1 ? "Its lease ends in " : "The first lease ends in ")
                        + DurationFormatter.text(soonest)
                        + " unless it is renewed."
                : "There is no lease: it is held until it is released or its connection ends.";
    }

    // The details

    private String name(JsonValue.ObjectValue resource) {
        return resource.text("kind") + " " + InspectionText.key(key);
    }

    private Predicate<JsonValue.ObjectValue> isThis(JsonValue.ObjectValue resource) {
        return other ->
                other.text("kind").equals(resource.text("kind"))
                        && other.text("namespace").equals(key.text("namespace"))
                        && other.text("key").equals(key.text("key"));
    }

    private List<JsonValue.ArrayValue> cycles(JsonValue.ObjectValue resource) {
        Set<Double> holders = new HashSet<>();
        resource.all("holders").forEach(holder -> holders.add(holder.number("connection")));
        JsonValue.ArrayValue all = waits.list("cycles");
        if (all == null) {
            return List.of();
        }
        Predicate<JsonValue.ObjectValue> isThis = isThis(resource);
        return all.values().stream()
                .filter(JsonValue.ArrayValue.class::isInstance)
                .map(JsonValue.ArrayValue.class::cast)
                .filter(
                        cycle ->
                                cycle.fields().stream()
                                        .anyMatch(
                                                member ->
                                                        isThis.test(member)
                                                                || holders.contains(
                                                                        member.number(
                                                                                "connection"))))
                .sorted(Comparator.comparing(c -> c.fields().stream().noneMatch(isThis)))
                .toList();
    }

    private String title(JsonValue.ObjectValue resource) {
        OptionalDouble limit = resource.optional("limit");
        return name(resource)
                + ": held by "
                + (long) resource.number("holders_total")
                + (limit.isPresent() && limit.getAsDouble() > 1
                        ? " of " + (long) limit.getAsDouble()
                        : "")
                + ", waiting: "
                + (long) resource.number("waiters_total");
    }

    private void holders(JsonValue.ObjectValue resource, List<String> lines) {
        for (JsonValue.ObjectValue holder : first(resource.all("holders"), max)) {
            StringBuilder text = new StringBuilder("  ");
            text.append(holder.text("state").equals("offered") ? "offered to " : "held by ");
            text.append(InspectionText.connection(holder));
            mode(resource, holder, text);
            text.append(", for ").append(DurationFormatter.text(holder.number("held_s")));
            since(holder, text);
            if (!holder.text("fence").isEmpty()) {
                text.append(", fence ").append(holder.text("fence"));
            }
            OptionalDouble lease = holder.optional("lease_left_s");
            text.append(
                    lease.isPresent()
                            ? ", lease " + DurationFormatter.text(lease) + " left"
                            : ", no lease");
            lines.add(text.toString());
            otherHoldsAndWaits(resource, holder, lines);
        }
        more(resource, "holders", lines);
    }

    private void waiters(JsonValue.ObjectValue resource, List<String> lines) {
        for (JsonValue.ObjectValue waiter : first(resource.all("waiters"), max)) {
            StringBuilder text = new StringBuilder("  ");
            text.append((long) waiter.number("position")).append(". ");
            text.append(InspectionText.connection(waiter));
            mode(resource, waiter, text);
            text.append(", waiting for ").append(DurationFormatter.text(waiter.number("waited_s")));
            since(waiter, text);
            OptionalDouble left = waiter.optional("timeout_left_s");
            if (left.isPresent()) {
                text.append(", times out in ").append(DurationFormatter.text(left));
            }
            lines.add(text.toString());
            otherHoldsAndWaits(resource, waiter, lines);
        }
        more(resource, "waiters", lines);
    }

    private static void mode(
            JsonValue.ObjectValue resource, JsonValue.ObjectValue member, StringBuilder text) {
        if (resource.text("kind").equals("lock") && !member.text("mode").isEmpty()) {
            text.append(", ").append(member.text("mode"));
        }
    }

    private static void since(JsonValue.ObjectValue member, StringBuilder text) {
        if (!member.text("since").isEmpty()) {
            text.append(" (since ").append(member.text("since")).append(')');
        }
    }

    private void more(JsonValue.ObjectValue resource, String what, List<String> lines) {
        long missing =
                (long) resource.number(what + "_total") - Math.min(max, resource.all(what).size());
        if (missing > 0) {
            lines.add("  and " + missing + " more " + what);
        }
    }

    /** Adds what else the connection holds and waits for. */
    private void otherHoldsAndWaits(
            JsonValue.ObjectValue resource, JsonValue.ObjectValue member, List<String> lines) {
        JsonValue.ObjectValue connection = connections.get((long) member.number("connection"));
        if (connection == null) {
            return;
        }
        Predicate<JsonValue.ObjectValue> isThis = isThis(resource);
        otherHoldsAndWaits("also holds", connection.all("holding"), isThis.negate(), lines);
        otherHoldsAndWaits("also waits for", connection.all("waiting"), isThis.negate(), lines);
    }

    private static void otherHoldsAndWaits(
            String what,
            List<JsonValue.ObjectValue> all,
            Predicate<JsonValue.ObjectValue> condition,
            List<String> lines) {
        List<String> names = all.stream().filter(condition).map(InspectionText::resource).toList();
        if (!names.isEmpty()) {
            int shown = Math.min(names.size(), MAX_HOLDS_AND_WAITERS);
            lines.add(
                    "       "
                            + what
                            + " "
                            + String.join(", ", names.subList(0, shown))
                            + (names.size() > shown
                                    ? " and " + (names.size() - shown) + " more"
                                    : ""));
        }
    }

    private static void history(JsonValue.ObjectValue resource, List<String> lines) {
        List<JsonValue.ObjectValue> events =
                resource.all("history").stream()
                        .sorted(Comparator.comparing(event -> event.text("at")))
                        .toList();
        if (events.isEmpty()) {
            return;
        }
        lines.add("  last events:");
        for (JsonValue.ObjectValue event :
                events.subList(Math.max(0, events.size() - MAX_EVENTS), events.size())) {
            StringBuilder text = new StringBuilder("    ");
            text.append(event.text("at"))
                    .append("  ")
                    .append(TerminalText.fit(event.text("event"), EVENT_WIDTH, false))
                    .append("  ")
                    .append(InspectionText.number(event));
            if (!event.text("fence").isEmpty()) {
                text.append(", fence ").append(event.text("fence"));
            }
            if (event.number("span_s") > 0) {
                text.append(", after ").append(DurationFormatter.text(event.number("span_s")));
            }
            lines.add(text.toString());
        }
    }

    private static <T> List<T> first(List<T> all, int max) {
        return all.subList(0, Math.min(all.size(), max));
    }
}
