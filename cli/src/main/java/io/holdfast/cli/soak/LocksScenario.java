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
        var slots = new Slots(key, 1);
        cycle.inEveryWorker(
                _ -> {
                    var connection = cycle.connect();
                    for (int i = 0; i < cycle.rounds() && !cycle.ended(); i++) {
                        round(connection, key, slots);
                    }
                    cycle.disconnect(connection);
                });
        slots.checkFences();
    }

    private static void round(SoakConnection connection, String key, Slots slots)
            throws IOException, CheckFailedException {
        long floor = slots.floor();
        var grant = Grant.parse(connection.ask("l", key, "5 " + LEASE), "ok", "l " + key, LEASE);
        slots.enter(grant, floor);
        connection.expect("ok " + LEASE, "n", key, grant.token() + " " + LEASE);
        slots.leave();
        connection.expect("ok", "r", key, grant.token());
    }
}
