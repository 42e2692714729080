package io.holdfast.cli.soak;

import java.io.IOException;
import java.util.List;

/**
 * Three listeners, by name and by two wildcards, get every signal of every worker. Then each worker
 * sends signals to itself.
 */
final class SignalsScenario implements Scenario {
    @Override
    public String name() {
        return "signals";
    }

    @Override
    public void run(Cycle cycle) throws IOException, CheckFailedException, InterruptedException {
        var base = cycle.key("signals");
        var channel = base + ".news";
        var byName = alone(cycle, channel);
        var byToken = alone(cycle, base + ".*");
        var byRest = alone(cycle, base + ".>");
        new Broadcast(cycle, channel, cycle.key("signals_end"), List.of(byName, byToken, byRest))
                .run();
        cycle.inEveryWorker(worker -> sendToItself(cycle, worker));
    }

    private static SoakListener alone(Cycle cycle, String pattern)
            throws IOException, CheckFailedException, InterruptedException {
        var audience = new Audience("listener on " + pattern, cycle.workers());
        return new SoakListener(cycle.connect(), pattern, "", audience);
    }

    /** Two of its patterns match, and it still gets one copy, before or after the answer. */
    private static void sendToItself(Cycle cycle, int worker)
            throws IOException, CheckFailedException, InterruptedException {
        var base = cycle.key("own." + worker);
        var channel = base + ".news";
        var connection = cycle.connect();
        connection.expect("ok", "listen", channel, "");
        connection.expect("ok", "listen", base + ".>", "");
        for (int i = 0; i < cycle.rounds() && !cycle.ended(); i++) {
            var sent = new PushedSignal(channel, new SoakItem(worker, i).text());
            connection.expect("ok 1", "signal", channel, sent.payload());
            var got = connection.nextSignal(SoakListener.TIMEOUT);
            if (!got.equals(sent)) {
                throw new CheckFailedException(
                        "sent \"" + sent + "\" to itself, got \"" + got + "\"");
            }
        }
        connection.expect("ok 0", "signal", base, "nobody"); // there is nothing for ">" to match
        connection.expect("ok", "unlisten", channel, "");
        connection.expect("ok", "unlisten", base + ".>", "");
        connection.expectNoSignal();
        cycle.disconnect(connection);
    }
}
