package io.holdfast.cli.soak;

import java.io.IOException;
import java.util.List;

/** Every signal goes to one of a pair, to the only member of a second group, and to a loner. */
final class SignalGroupsScenario implements Scenario {
    @Override
    public String name() {
        return "signal-queue-groups";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        var channel = soakCycle.key("groups");
        var pair = new SignalAudience("group pair", soakCycle.workers());
        var first = new SoakListener(soakCycle.connect(), channel, "pair", pair);
        var second = new SoakListener(soakCycle.connect(), channel, "pair", pair);
        var other =
                new SoakListener(
                        soakCycle.connect(),
                        channel,
                        "other",
                        new SignalAudience("group other", soakCycle.workers()));
        var loner =
                new SoakListener(
                        soakCycle.connect(),
                        channel,
                        "",
                        new SignalAudience("listener without a group", soakCycle.workers()));
        new SignalBroadcast(
                        soakCycle,
                        channel,
                        soakCycle.key("groups_end"),
                        List.of(first, second, other, loner))
                .run();
        checkTurns(first.served(), second.served());
    }

    /** Members take turns, so with two signals or more both were served. */
    static void checkTurns(int first, int second) throws CheckFailedException {
        if (Math.abs(first - second) > 1) {
            throw new CheckFailedException(
                    "group pair: one member got "
                            + first
                            + " signals and the other "
                            + second
                            + ", they do not take turns");
        }
    }
}
