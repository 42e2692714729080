package io.holdfast.cli.soak;

import java.io.IOException;

/** All workers contend for one lock, and renew it while they have it. */
final class LocksScenario implements Scenario {
    private static final int LEASE = 10;

    @Override
    public String name() {
        return "locks";
    }

    @Override
    public void run(Cycle cycle) throws IOException, CheckFailedException, InterruptedException {
        var key = cycle.key("lock");
        var holderChecker = new HolderChecker(key, 1);
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
        var soakGrant =
                SoakGrant.parse(connection.ask("l", key, "5 " + LEASE), "ok", "l " + key, LEASE);
        holderChecker.enter(soakGrant, floor);
        connection.expect("ok " + LEASE, "n", key, soakGrant.token() + " " + LEASE);
        holderChecker.leave();
        connection.expect("ok", "r", key, soakGrant.token());
    }
}
