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
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        var base = soakCycle.key("signals");
        var channel = base + ".news";
        var byName = alone(soakCycle, channel);
        var byToken = alone(soakCycle, base + ".*");
        var byRest = alone(soakCycle, base + ".>");
        new SignalBroadcast(
                        soakCycle,
                        channel,
                        soakCycle.key("signals_end"),
                        List.of(byName, byToken, byRest))
                .run();
        soakCycle.inEveryWorker(worker -> sendToItself(soakCycle, worker));
    }

    private static SoakListener alone(SoakCycle soakCycle, String pattern)
            throws IOException, CheckFailedException, InterruptedException {
        var signalAudience = new SignalAudience("listener on " + pattern, soakCycle.workers());
        return new SoakListener(soakCycle.connect(), pattern, "", signalAudience);
    }

    /** Two of its patterns match, and it still gets one copy, before or after the answer. */
    private static void sendToItself(SoakCycle soakCycle, int worker)
            throws IOException, CheckFailedException, InterruptedException {
        var base = soakCycle.key("own." + worker);
        var channel = base + ".news";
        var connection = soakCycle.connect();
        connection.expect("ok", "listen", channel, "");
        connection.expect("ok", "listen", base + ".>", "");
        for (int i = 0; i < soakCycle.rounds() && !soakCycle.ended(); i++) {
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
        soakCycle.disconnect(connection);
    }
}
