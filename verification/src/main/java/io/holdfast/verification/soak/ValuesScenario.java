package io.holdfast.verification.soak;

import java.io.IOException;

/**
 * Each worker writes, reads and removes a value of its own, and all workers write and read one
 * shared value.
 */
final class ValuesScenario implements Scenario {
    @Override
    public String name() {
        return "kv";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        var shared = soakCycle.key("kv");
        var itemOrderChecker = new ItemOrderChecker(shared, soakCycle.workers());
        soakCycle.inEveryWorker(
                worker -> {
                    var connection = soakCycle.connect();
                    var own = soakCycle.key("kv_" + worker);
                    for (int i = 0; i < soakCycle.rounds() && !soakCycle.ended(); i++) {
                        var numberedPayload = new NumberedPayload(worker, i);
                        writeAlone(connection, own, numberedPayload);
                        writeTogether(
                                connection, shared, numberedPayload, itemOrderChecker, soakCycle);
                    }
                    soakCycle.disconnect(connection);
                });
        var connection = soakCycle.connect();
        remove(connection, shared);
        soakCycle.disconnect(connection);
    }

    private static void writeAlone(
            SoakConnection connection, String key, NumberedPayload numberedPayload)
            throws IOException, CheckFailedException {
        connection.expect("ok", "kset", key, numberedPayload.text() + " 0");
        connection.expect("ok " + numberedPayload.text(), "kget", key, "");
        remove(connection, key);
    }

    /**
     * Reads the shared value after writing it. The last write wins, so once an item of a worker has
     * been read, no earlier item of the same worker may be read.
     */
    private static void writeTogether(
            SoakConnection connection,
            String key,
            NumberedPayload numberedPayload,
            ItemOrderChecker itemOrderChecker,
            SoakCycle soakCycle)
            throws IOException, CheckFailedException {
        connection.expect("ok", "kset", key, numberedPayload.text() + " 0");
        itemOrderChecker.reach(numberedPayload);
        var floor = itemOrderChecker.floor();
        var response = connection.request("kget", key, "");
        if (!response.startsWith("ok ")) {
            throw new CheckFailedException(
                    "kget " + key + ": got \"" + response + "\", want \"ok <value>\"");
        }
        itemOrderChecker.advanceOrStay(
                NumberedPayload.parse(response.substring(3), soakCycle, "kget " + key), floor);
    }

    private static void remove(SoakConnection connection, String key)
            throws IOException, CheckFailedException {
        connection.expect("ok", "kdel", key, "");
        connection.expect("nil", "kget", key, "");
    }
}
