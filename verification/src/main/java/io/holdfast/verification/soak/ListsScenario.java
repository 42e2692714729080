package io.holdfast.verification.soak;

import io.holdfast.console.json.JsonValue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** First in, first out: in a list of each worker, and in one shared list. */
final class ListsScenario implements Scenario {
    /** The number of elements in a worker's own list. */
    private static final int LENGTH = 3;

    @Override
    public String name() {
        return "lists";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        soakCycle.inEveryWorker(
                worker -> {
                    var connection = soakCycle.connect();
                    var key = soakCycle.key("list_" + worker);
                    for (int i = 0; i < soakCycle.rounds() && !soakCycle.ended(); i++) {
                        useAlone(connection, key, i);
                    }
                    soakCycle.disconnect(connection);
                });
        useTogether(soakCycle, soakCycle.key("list"));
    }

    private static void useAlone(SoakConnection connection, String key, int round)
            throws IOException, CheckFailedException {
        var values = new ArrayList<String>();
        for (int i = 0; i < LENGTH; i++) {
            values.add(new NumberedPayload(i, round).text());
            connection.expect("ok " + values.size(), "rpush", key, values.getLast());
        }
        connection.expect("ok " + LENGTH, "llen", key, "");
        checkRange(connection.request("lrange", key, "0 -1"), key, values);
        for (var value : values) {
            connection.expect("ok " + value, "lpop", key, "");
        }
        checkGone(connection, key);
    }

    /** A worker that pushes before each pop never finds the list empty. */
    private static void useTogether(SoakCycle soakCycle, String key)
            throws IOException, CheckFailedException, InterruptedException {
        var deliveryChecker = new DeliveryChecker(key, soakCycle.workers());
        var itemOrderChecker = new ItemOrderChecker(key, soakCycle.workers());
        int[] pushed = new int[soakCycle.workers()];
        soakCycle.inEveryWorker(
                worker -> {
                    var connection = soakCycle.connect();
                    for (int i = 0; i < soakCycle.rounds() && !soakCycle.ended(); i++) {
                        push(connection, key, new NumberedPayload(worker, i), soakCycle.workers());
                        pushed[worker]++;
                        var floor = itemOrderChecker.floor();
                        var popped = pop(connection, key, soakCycle);
                        deliveryChecker.add(popped);
                        itemOrderChecker.advance(popped, floor);
                    }
                    soakCycle.disconnect(connection);
                });
        for (int worker = 0; worker < pushed.length; worker++) {
            deliveryChecker.check(worker, pushed[worker]);
        }
        var connection = soakCycle.connect();
        checkGone(connection, key);
        soakCycle.disconnect(connection);
    }

    private static void push(
            SoakConnection connection, String key, NumberedPayload numberedPayload, int maxLength)
            throws IOException, CheckFailedException {
        var response = connection.request("rpush", key, numberedPayload.text());
        for (int length = 1; length <= maxLength; length++) {
            if (response.equals("ok " + length)) {
                return;
            }
        }
        throw new CheckFailedException(
                "rpush "
                        + key
                        + ": got \""
                        + response
                        + "\", want \"ok 1\" to \"ok "
                        + maxLength
                        + "\"");
    }

    private static NumberedPayload pop(SoakConnection connection, String key, SoakCycle soakCycle)
            throws IOException, CheckFailedException {
        var response = connection.request("lpop", key, "");
        if (!response.startsWith("ok ")) {
            throw new CheckFailedException(
                    "lpop " + key + ": got \"" + response + "\", want \"ok <value>\"");
        }
        return NumberedPayload.parse(response.substring(3), soakCycle, "lpop " + key);
    }

    private static void checkRange(String response, String key, List<String> values)
            throws CheckFailedException {
        var expected =
                new JsonValue.ArrayValue(
                        values.stream().<JsonValue>map(JsonValue.StringValue::new).toList());
        try {
            if (response.startsWith("ok ")
                    && JsonValue.parse(response.substring(3)).equals(expected)) {
                return;
            }
        } catch (IllegalArgumentException _) {
            // not JSON, reported below
        }
        throw new CheckFailedException(
                "lrange "
                        + key
                        + ": got \""
                        + response
                        + "\", want the "
                        + LENGTH
                        + " elements in order");
    }

    private static void checkGone(SoakConnection connection, String key)
            throws IOException, CheckFailedException {
        connection.expect("nil", "lpop", key, "");
        connection.expect("ok 0", "llen", key, "");
    }
}
