package io.holdfast.cli.soak;

import java.io.IOException;

/** All workers contend for one lock in two steps, each round on a fresh connection. */
final class TwoPhaseScenario implements Scenario {
    private static final int LEASE = 10;

    @Override
    public String name() {
        return "two-phase";
    }

    @Override
    public void run(Cycle cycle) throws IOException, CheckFailedException, InterruptedException {
        var key = cycle.key("twophase");
        var slots = new Slots(key, 1);
        cycle.inEveryWorker(
                _ -> {
                    for (int i = 0; i < cycle.rounds() && !cycle.ended(); i++) {
                        var connection = cycle.connect();
                        round(connection, key, slots);
                        cycle.disconnect(connection);
                    }
                });
        slots.checkFences();
    }

    private static void round(SoakConnection connection, String key, Slots slots)
            throws IOException, CheckFailedException {
        long floor = slots.floor();
        var grant = acquire(connection, key);
        slots.enter(grant, floor);
        Cycle.dwell();
        slots.leave();
        connection.expect("ok", "r", key, grant.token());
    }

    private static Grant acquire(SoakConnection connection, String key)
            throws IOException, CheckFailedException {
        var answer = connection.ask("e", key, Integer.toString(LEASE));
        if (!answer.equals("queued")) {
            return Grant.parse(answer, "acquired", "e " + key, LEASE);
        }
        return Grant.parse(connection.ask("w", key, "5"), "ok", "w " + key, LEASE);
    }
}
