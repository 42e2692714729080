package io.holdfast.verification.soak;

import java.io.IOException;

/** All workers contend for the permits of one semaphore. */
final class SemaphoresScenario implements Scenario {
    private static final int LIMIT = 3;
    private static final int LEASE = 10;

    @Override
    public String name() {
        return "semaphores";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        var key = soakCycle.key("sem");
        var holderChecker = new HolderChecker(key, LIMIT);
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
        var response = connection.request("sl", key, "10 " + LIMIT + " " + LEASE);
        var soakGrant = SoakGrant.parse(response, "ok", "sl " + key, LEASE);
        holderChecker.enter(soakGrant, floor);
        SoakCycle.dwell();
        holderChecker.leave();
        connection.expect("ok", "sr", key, soakGrant.token());
    }
}
