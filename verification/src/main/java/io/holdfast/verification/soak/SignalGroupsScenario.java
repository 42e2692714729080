package io.holdfast.verification.soak;

import java.io.IOException;
import java.util.List;

/**
 * Every signal goes to one member of a queue group of two, to the only member of a second group,
 * and to a listener without a group.
 */
final class SignalGroupsScenario implements Scenario {
    @Override
    public String name() {
        return "signal-queue-groups";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        var channel = soakCycle.key("groups");
        var pair = new SignalReceivers("group pair", soakCycle.workers());
        var first = new SoakListener(soakCycle.connect(), channel, "pair", pair);
        var second = new SoakListener(soakCycle.connect(), channel, "pair", pair);
        var other =
                new SoakListener(
                        soakCycle.connect(),
                        channel,
                        "other",
                        new SignalReceivers("group other", soakCycle.workers()));
        var ungrouped =
                new SoakListener(
                        soakCycle.connect(),
                        channel,
                        "",
                        new SignalReceivers("listener without a group", soakCycle.workers()));
        new SignalBroadcast(
                        soakCycle,
                        channel,
                        soakCycle.key("groups_end"),
                        List.of(first, second, other, ungrouped))
                .run();
        checkTurns(first.served(), second.served());
    }

    /** The members of a group receive signals in turn, so their numbers differ by at most one. */
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
