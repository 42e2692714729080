package io.holdfast.cli.soak;

import java.io.IOException;

/** Each worker writes, reads and removes a value of its own, and all write and read one value. */
final class ValuesScenario implements Scenario {
    @Override
    public String name() {
        return "kv";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        var shared = soakCycle.key("kv");
        var orderChecker = new OrderChecker(shared, soakCycle.workers());
        soakCycle.inEveryWorker(
                worker -> {
                    var connection = soakCycle.connect();
                    var own = soakCycle.key("kv_" + worker);
                    for (int i = 0; i < soakCycle.rounds() && !soakCycle.ended(); i++) {
                        var soakItem = new SoakItem(worker, i);
                        writeAlone(connection, own, soakItem);
                        writeTogether(connection, shared, soakItem, orderChecker, soakCycle);
                    }
                    soakCycle.disconnect(connection);
                });
        var connection = soakCycle.connect();
        remove(connection, shared);
        soakCycle.disconnect(connection);
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
            SoakCycle soakCycle)
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
                SoakItem.parse(answer.substring(3), soakCycle, "kget " + key), floor);
    }

    private static void remove(SoakConnection connection, String key)
            throws IOException, CheckFailedException {
        connection.expect("ok", "kdel", key, "");
        connection.expect("nil", "kget", key, "");
    }
}
