package io.holdfast.cli.soak;

import java.io.IOException;

/** Each worker writes, reads and removes a value of its own, and all write and read one value. */
final class ValuesScenario implements Scenario {
    @Override
    public String name() {
        return "kv";
    }

    @Override
    public void run(Cycle cycle) throws IOException, CheckFailedException, InterruptedException {
        var shared = cycle.key("kv");
        var orderChecker = new OrderChecker(shared, cycle.workers());
        cycle.inEveryWorker(
                worker -> {
                    var connection = cycle.connect();
                    var own = cycle.key("kv_" + worker);
                    for (int i = 0; i < cycle.rounds() && !cycle.ended(); i++) {
                        var soakItem = new SoakItem(worker, i);
                        writeAlone(connection, own, soakItem);
                        writeTogether(connection, shared, soakItem, orderChecker, cycle);
                    }
                    cycle.disconnect(connection);
                });
        var connection = cycle.connect();
        remove(connection, shared);
        cycle.disconnect(connection);
    }

    private static void writeAlone(SoakConnection connection, String key, SoakItem soakItem)
            throws IOException, CheckFailedException {
        connection.expect("ok", "kset", key, soakItem.text() + " 0");
        connection.expect("ok " + soakItem.text(), "kget", key, "");
        remove(connection, key);
    }

    /**
     * Whoever wrote last: nobody may see a value again after one that the same worker wrote later.
     */
    private static void writeTogether(
            SoakConnection connection,
            String key,
            SoakItem soakItem,
            OrderChecker orderChecker,
            Cycle cycle)
            throws IOException, CheckFailedException {
        connection.expect("ok", "kset", key, soakItem.text() + " 0");
        orderChecker.reach(soakItem);
        var floor = orderChecker.floor();
        var answer = connection.ask("kget", key, "");
        if (!answer.startsWith("ok ")) {
            throw new CheckFailedException(
                    "kget " + key + ": got \"" + answer + "\", want \"ok <value>\"");
        }
        orderChecker.advanceOrStay(
                SoakItem.parse(answer.substring(3), cycle, "kget " + key), floor);
    }

    private static void remove(SoakConnection connection, String key)
            throws IOException, CheckFailedException {
        connection.expect("ok", "kdel", key, "");
        connection.expect("nil", "kget", key, "");
    }
}
