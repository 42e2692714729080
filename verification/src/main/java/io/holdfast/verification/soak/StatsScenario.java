package io.holdfast.verification.soak;

import io.holdfast.console.json.JsonValue;

import java.io.IOException;

/** Requests the statistics and checks that this cycle has left nothing behind. */
final class StatsScenario implements Scenario {
    @Override
    public String name() {
        return "stats-check";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        var connection = soakCycle.connect();
        var response = connection.request("stats", "_", "");
        soakCycle.disconnect(connection);
        if (!response.startsWith("ok ")) {
            throw new CheckFailedException("stats: got \"" + response + "\", want \"ok <json>\"");
        }
        check(parse(response.substring(3)), soakCycle.prefix());
    }

    static void check(JsonValue.ObjectValue stats, String prefix) throws CheckFailedException {
        if (stats.list("locks") == null || stats.list("semaphores") == null) {
            throw new CheckFailedException("stats has no locks or no semaphores");
        }
        checkNothingLeft(stats, "locks", "key", prefix);
        checkNothingLeft(stats, "semaphores", "key", prefix);
        checkNothingLeft(stats, "signal_channels", "pattern", prefix);
        checkNothingLeft(stats, "counters", "key", prefix);
        checkNothingLeft(stats, "kv_entries", "key", prefix);
        checkNothingLeft(stats, "lists", "key", prefix);
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

    private static void checkNothingLeft(
            JsonValue.ObjectValue stats, String array, String name, String prefix)
            throws CheckFailedException {
        var entries = stats.list(array);
        if (entries == null) {
            return; // servers differ in which arrays they have beyond locks and semaphores
        }
        for (var entry : entries.values()) {
            if (entry instanceof JsonValue.ObjectValue objectValue
                    && objectValue.text(name).startsWith(prefix)
                    && !isEmpty(array, objectValue)) {
                throw new CheckFailedException(
                        "left over in " + array + ": \"" + objectValue.text(name) + "\"");
            }
        }
    }

    /** A counter cannot be removed, only set to 0; a server may retain an empty list. */
    private static boolean isEmpty(String array, JsonValue.ObjectValue entry) {
        return switch (array) {
            case "counters" -> entry.number("value") == 0;
            case "lists" -> entry.number("len") == 0;
            default -> false;
        };
    }
}
