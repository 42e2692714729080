package io.holdfast.cli.soak;

import io.holdfast.cli.json.JsonValue;

import java.io.IOException;

/** Asks for the statistics and looks for anything that this cycle left behind. */
final class StatsScenario implements Scenario {
    @Override
    public String name() {
        return "stats-check";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        var connection = soakCycle.connect();
        var answer = connection.ask("stats", "_", "");
        soakCycle.disconnect(connection);
        if (!answer.startsWith("ok ")) {
            throw new CheckFailedException("stats: got \"" + answer + "\", want \"ok <json>\"");
        }
        check(parse(answer.substring(3)), soakCycle.prefix());
    }

    static void check(JsonValue.ObjectValue stats, String prefix) throws CheckFailedException {
        if (stats.list("locks") == null || stats.list("semaphores") == null) {
            throw new CheckFailedException("stats has no locks or no semaphores");
        }
        refuseLeft(stats, "locks", "key", prefix);
        refuseLeft(stats, "semaphores", "key", prefix);
        refuseLeft(stats, "signal_channels", "pattern", prefix);
        refuseLeft(stats, "counters", "key", prefix);
        refuseLeft(stats, "kv_entries", "key", prefix);
        refuseLeft(stats, "lists", "key", prefix);
    }

    private static JsonValue.ObjectValue parse(String text) throws CheckFailedException {
        try {
            if (JsonValue.parse(text) instanceof JsonValue.ObjectValue objectValue) {
                return objectValue;
            }
            throw new CheckFailedException("stats is not a JSON object");
        } catch (IllegalArgumentException e) {
            throw new CheckFailedException("stats is not JSON: " + e.getMessage());
        }
    }

    private static void refuseLeft(
            JsonValue.ObjectValue stats, String array, String name, String prefix)
            throws CheckFailedException {
        var entries = stats.list(array);
        if (entries == null) {
            return; // servers differ in which arrays they have beyond locks and semaphores
        }
        for (var entry : entries.values()) {
            if (entry instanceof JsonValue.ObjectValue objectValue
                    && objectValue.text(name).startsWith(prefix)
                    && !isNothing(array, objectValue)) {
                throw new CheckFailedException(
                        "left over in " + array + ": \"" + objectValue.text(name) + "\"");
            }
        }
    }

    /** A counter cannot be removed, only set to 0; a server may remember an empty list. */
    private static boolean isNothing(String array, JsonValue.ObjectValue entry) {
        return switch (array) {
            case "counters" -> entry.number("value") == 0;
            case "lists" -> entry.number("len") == 0;
            default -> false;
        };
    }
}
