package io.holdfast.cli.soak;

import java.io.IOException;

/** All workers contend for the slots of one semaphore. */
final class SemaphoresScenario implements Scenario {
    private static final int LIMIT = 3;
    private static final int LEASE = 10;

    @Override
    public String name() {
        return "semaphores";
    }

    @Override
    public void run(Cycle cycle) throws IOException, CheckFailedException, InterruptedException {
        var key = cycle.key("sem");
        var holderChecker = new HolderChecker(key, LIMIT);
        cycle.inEveryWorker(
                _ -> {
                    var connection = cycle.connect();
                    for (int i = 0; i < cycle.rounds() && !cycle.ended(); i++) {
                        round(connection, key, holderChecker);
                    }
                    cycle.disconnect(connection);
                });
        holderChecker.checkFences();
    }

    private static void round(SoakConnection connection, String key, HolderChecker holderChecker)
            throws IOException, CheckFailedException {
        long floor = holderChecker.floor();
        var answer = connection.ask("sl", key, "10 " + LIMIT + " " + LEASE);
        var soakGrant = SoakGrant.parse(answer, "ok", "sl " + key, LEASE);
        holderChecker.enter(soakGrant, floor);
        Cycle.dwell();
        holderChecker.leave();
        connection.expect("ok", "sr", key, soakGrant.token());
    }
}
