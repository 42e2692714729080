package io.holdfast.verification.soak;

import java.io.IOException;

/**
 * All workers contend for one lock in two phases (enqueue, then wait), each round on a new
 * connection.
 */
final class TwoPhaseScenario implements Scenario {
    private static final int LEASE = 10;

    @Override
    public String name() {
        return "two-phase";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        var key = soakCycle.key("twophase");
        var holderChecker = new HolderChecker(key, 1);
        soakCycle.inEveryWorker(
                _ -> {
                    for (int i = 0; i < soakCycle.rounds() && !soakCycle.ended(); i++) {
                        var connection = soakCycle.connect();
                        round(connection, key, holderChecker);
                        soakCycle.disconnect(connection);
                    }
                });
        holderChecker.checkFences();
    }

    private static void round(SoakConnection connection, String key, HolderChecker holderChecker)
            throws IOException, CheckFailedException {
        long floor = holderChecker.floor();
        var soakGrant = acquire(connection, key);
        holderChecker.enter(soakGrant, floor);
        SoakCycle.dwell();
        holderChecker.leave();
        connection.expect("ok", "r", key, soakGrant.token());
    }

    private static SoakGrant acquire(SoakConnection connection, String key)
            throws IOException, CheckFailedException {
        var response = connection.request("e", key, Integer.toString(LEASE));
        if (!response.equals("queued")) {
            return SoakGrant.parse(response, "acquired", "e " + key, LEASE);
        }
        return SoakGrant.parse(connection.request("w", key, "5"), "ok", "w " + key, LEASE);
    }
}
