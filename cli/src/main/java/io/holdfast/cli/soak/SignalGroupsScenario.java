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
    public void run(Cycle cycle) throws IOException, CheckFailedException, InterruptedException {
        var channel = cycle.key("groups");
        var pair = new Audience("group pair", cycle.workers());
        var first = new SoakListener(cycle.connect(), channel, "pair", pair);
        var second = new SoakListener(cycle.connect(), channel, "pair", pair);
        var other =
                new SoakListener(
                        cycle.connect(),
                        channel,
                        "other",
                        new Audience("group other", cycle.workers()));
        var loner =
                new SoakListener(
                        cycle.connect(),
                        channel,
                        "",
                        new Audience("listener without a group", cycle.workers()));
        new Broadcast(cycle, channel, cycle.key("groups_end"), List.of(first, second, other, loner))
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
