package io.holdfast.cli.soak;

import io.holdfast.cli.json.JsonValue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** First in, first out: for each worker alone, and for all in one list. */
final class ListsScenario implements Scenario {
    /** Elements in a worker's own list. */
    private static final int LENGTH = 3;

    @Override
    public String name() {
        return "lists";
    }

    @Override
    public void run(Cycle cycle) throws IOException, CheckFailedException, InterruptedException {
        cycle.inEveryWorker(
                worker -> {
                    var connection = cycle.connect();
                    var key = cycle.key("list_" + worker);
                    for (int i = 0; i < cycle.rounds() && !cycle.ended(); i++) {
                        useAlone(connection, key, i);
                    }
                    cycle.disconnect(connection);
                });
        useTogether(cycle, cycle.key("list"));
    }

    private static void useAlone(SoakConnection connection, String key, int round)
            throws IOException, CheckFailedException {
        var values = new ArrayList<String>();
        for (int i = 0; i < LENGTH; i++) {
            values.add(new SoakItem(i, round).text());
            connection.expect("ok " + values.size(), "rpush", key, values.getLast());
        }
        connection.expect("ok " + LENGTH, "llen", key, "");
        checkRange(connection.ask("lrange", key, "0 -1"), key, values);
        for (var value : values) {
            connection.expect("ok " + value, "lpop", key, "");
        }
        checkGone(connection, key);
    }

    /** Who pushes before each pop never finds the list empty. */
    private static void useTogether(Cycle cycle, String key)
            throws IOException, CheckFailedException, InterruptedException {
        var deliveryChecker = new DeliveryChecker(key, cycle.workers());
        var orderChecker = new OrderChecker(key, cycle.workers());
        int[] pushed = new int[cycle.workers()];
        cycle.inEveryWorker(
                worker -> {
                    var connection = cycle.connect();
                    for (int i = 0; i < cycle.rounds() && !cycle.ended(); i++) {
                        push(connection, key, new SoakItem(worker, i), cycle.workers());
                        pushed[worker]++;
                        var floor = orderChecker.floor();
                        var popped = pop(connection, key, cycle);
                        deliveryChecker.add(popped);
                        orderChecker.advance(popped, floor);
                    }
                    cycle.disconnect(connection);
                });
        for (int worker = 0; worker < pushed.length; worker++) {
            deliveryChecker.check(worker, pushed[worker]);
        }
        var connection = cycle.connect();
        checkGone(connection, key);
        cycle.disconnect(connection);
    }

    private static void push(SoakConnection connection, String key, SoakItem soakItem, int longest)
            throws IOException, CheckFailedException {
        var answer = connection.ask("rpush", key, soakItem.text());
        for (int length = 1; length <= longest; length++) {
            if (answer.equals("ok " + length)) {
                return;
            }
        }
        throw new CheckFailedException(
                "rpush "
                        + key
                        + ": got \""
                        + answer
                        + "\", want \"ok 1\" to \"ok "
                        + longest
                        + "\"");
    }

    private static SoakItem pop(SoakConnection connection, String key, Cycle cycle)
            throws IOException, CheckFailedException {
        var answer = connection.ask("lpop", key, "");
        if (!answer.startsWith("ok ")) {
            throw new CheckFailedException(
                    "lpop " + key + ": got \"" + answer + "\", want \"ok <value>\"");
        }
        return SoakItem.parse(answer.substring(3), cycle, "lpop " + key);
    }

    private static void checkRange(String answer, String key, List<String> values)
            throws CheckFailedException {
        var wanted =
                new JsonValue.ArrayValue(
                        values.stream().<JsonValue>map(JsonValue.StringValue::new).toList());
        try {
            if (answer.startsWith("ok ") && JsonValue.parse(answer.substring(3)).equals(wanted)) {
                return;
            }
        } catch (IllegalArgumentException _) {
            // not JSON, reported below
        }
        throw new CheckFailedException(
                "lrange " + key + ": got \"" + answer + "\", want the " + LENGTH + " in order");
    }

    private static void checkGone(SoakConnection connection, String key)
            throws IOException, CheckFailedException {
        connection.expect("nil", "lpop", key, "");
        connection.expect("ok 0", "llen", key, "");
    }
}
