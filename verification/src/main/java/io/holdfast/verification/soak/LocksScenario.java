package io.holdfast.verification.soak;

import java.io.IOException;

/** All workers contend for one lock, and renew it while they hold it. */
final class LocksScenario implements Scenario {
    private static final int LEASE = 10;

    @Override
    public String name() {
        return "locks";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        var key = soakCycle.key("lock");
        var holderChecker = new HolderChecker(key, 1);
        soakCycle.inEveryWorker(
                _ -> {
                    var connection = soakCycle.connect();
                    for (int i = 0; i < soakCycle.rounds() && !soakCycle.ended(); i++) {
                        round(connection, key, holderChecker);
                    }
                    soakCycle.disconnect(connection);
                });
        holderChecker.checkFences();
    }

    private static void round(SoakConnection connection, String key, HolderChecker holderChecker)
            throws IOException, CheckFailedException {
        long floor = holderChecker.floor();
        var soakGrant =
                SoakGrant.parse(
                        connection.request("l", key, "5 " + LEASE), "ok", "l " + key, LEASE);
        holderChecker.enter(soakGrant, floor);
        connection.expect("ok " + LEASE, "n", key, soakGrant.token() + " " + LEASE);
        holderChecker.leave();
        connection.expect("ok", "r", key, soakGrant.token());
    }
}
