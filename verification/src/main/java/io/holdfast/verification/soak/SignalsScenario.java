package io.holdfast.verification.soak;

import java.io.IOException;
import java.util.List;

/**
 * Three listeners, one on the channel name and two on wildcard patterns, receive every signal of
 * every worker. Then each worker sends signals to itself.
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
        var byName = listener(soakCycle, channel);
        var byToken = listener(soakCycle, base + ".*");
        var byRest = listener(soakCycle, base + ".>");
        new SignalBroadcast(
                        soakCycle,
                        channel,
                        soakCycle.key("signals_end"),
                        List.of(byName, byToken, byRest))
                .run();
        soakCycle.inEveryWorker(worker -> sendToItself(soakCycle, worker));
    }

    private static SoakListener listener(SoakCycle soakCycle, String pattern)
            throws IOException, CheckFailedException, InterruptedException {
        var signalReceivers = new SignalReceivers("listener on " + pattern, soakCycle.workers());
        return new SoakListener(soakCycle.connect(), pattern, "", signalReceivers);
    }

    /**
     * Two patterns of the connection match, and it must receive one copy of each signal, before or
     * after the response.
     */
    private static void sendToItself(SoakCycle soakCycle, int worker)
            throws IOException, CheckFailedException, InterruptedException {
        var base = soakCycle.key("own." + worker);
        var channel = base + ".news";
        var connection = soakCycle.connect();
        connection.expect("ok", "listen", channel, "");
        connection.expect("ok", "listen", base + ".>", "");
        for (int i = 0; i < soakCycle.rounds() && !soakCycle.ended(); i++) {
            var sent = new PushedSignal(channel, new NumberedPayload(worker, i).text());
            connection.expect("ok 1", "signal", channel, sent.payload());
            var received = connection.nextSignal(SoakListener.TIMEOUT);
            if (!received.equals(sent)) {
                throw new CheckFailedException(
                        "sent \"" + sent + "\" to itself, got \"" + received + "\"");
            }
        }
        connection.expect("ok 0", "signal", base, "nobody"); // ">" matches at least one more token
        connection.expect("ok", "unlisten", channel, "");
        connection.expect("ok", "unlisten", base + ".>", "");
        connection.expectNoSignal();
        soakCycle.disconnect(connection);
    }
}
