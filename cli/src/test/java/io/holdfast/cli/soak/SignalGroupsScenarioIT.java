package io.holdfast.cli.soak;

import static io.holdfast.cli.soak.ScenarioRun.assertFails;
import static io.holdfast.cli.soak.ScenarioRun.assertPasses;
import static io.holdfast.cli.soak.ScenarioRun.assertStops;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

@DisplayName("The soak test of queue groups")
@Timeout(120)
class SignalGroupsScenarioIT {
    private static final String ITEM = new SoakItem(1, 3).text();

    private final Scenario groups = new SignalGroupsScenario();

    /** Sends the copy of one signal that is due to this group somewhere else. */
    private abstract static class Faulty extends CorrectSignals {
        private final String group;

        Faulty(String group) {
            this.group = group;
        }

        @Override
        void deliver(Registration receiver, String channel, String payload) {
            if (receiver.group().equals(group) && payload.equals(ITEM)) {
                deliverWrongly(receiver, channel, payload);
            } else {
                super.deliver(receiver, channel, payload);
            }
        }

        abstract void deliverWrongly(Registration receiver, String channel, String payload);

        /** Every member of the group but one. */
        final List<Registration> others(Registration one, String ofGroup) {
            return registrations().stream()
                    .filter(other -> other.pattern().equals(one.pattern()))
                    .filter(other -> other.group().equals(ofGroup) && !other.equals(one))
                    .toList();
        }
    }

    @Test
    void passes_a_server_whose_members_take_turns() throws Exception {
        assertPasses(groups, new CorrectServer());
    }

    @Test
    void ends_all_registrations_when_told_to_stop() throws Exception {
        var stop = new StopRequest();
        var rule =
                new CorrectServer()
                        .except(
                                request -> {
                                    if (request.argument().equals(ITEM)) {
                                        stop.request();
                                    }
                                    return null;
                                });
        assertStops(groups, rule, stop);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    listen   | error | listen .+_groups: got "error", want "ok"
                    signal   | ok 4  | signal .+_groups: got "ok 4", want "ok 3"
                    unlisten | ok    | signal .+_groups: got "ok 3", want "ok 0"
                    """)
    void catches_a_wrong_answer(String command, String answer, String reason) throws Exception {
        var rule =
                new CorrectServer()
                        .except(request -> request.command().equals(command) ? answer : null);
        assertFails(groups, rule, reason);
    }

    @Test
    void catches_a_signal_that_both_of_the_pair_get() throws Exception {
        var faulty =
                new Faulty("pair") {
                    @Override
                    void deliverWrongly(Registration receiver, String channel, String payload) {
                        push(receiver.connection(), channel, payload);
                        for (var other : others(receiver, "pair")) {
                            push(other.connection(), channel, payload);
                        }
                    }
                };
        assertFails(
                groups,
                new CorrectServer().with(faulty),
                "group pair: item 3 of worker 1 came twice");
    }

    @ParameterizedTest
    @CsvSource({"pair, group pair", "other, group other", "'', listener without a group"})
    void catches_a_signal_that_nobody_gets(String group, String name) throws Exception {
        var faulty =
                new Faulty(group) {
                    @Override
                    void deliverWrongly(Registration receiver, String channel, String payload) {}
                };
        assertFails(
                groups, new CorrectServer().with(faulty), name + ": item 3 of worker 1 never came");
    }

    @Test
    void catches_a_signal_that_goes_to_the_wrong_group() throws Exception {
        var faulty =
                new Faulty("other") {
                    @Override
                    void deliverWrongly(Registration receiver, String channel, String payload) {
                        push(others(receiver, "pair").getFirst().connection(), channel, payload);
                    }
                };
        assertFails(
                groups,
                new CorrectServer().with(faulty),
                "group pair: item 3 of worker 1 came twice");
    }

    @Test
    void catches_a_group_of_which_one_member_gets_everything() throws Exception {
        var unfair =
                new CorrectSignals() {
                    @Override
                    Registration choose(List<Registration> members, int turn) {
                        return members.getFirst();
                    }
                };
        assertFails(
                groups,
                new CorrectServer().with(unfair),
                "group pair: one member got 80 signals and the other 0, .+");
    }

    @Test
    void catches_signals_out_of_order() throws Exception {
        var faulty =
                new CorrectSignals() {
                    @Override
                    void deliver(Registration receiver, String channel, String payload) {
                        boolean late = receiver.group().equals("other") && payload.equals(ITEM);
                        if (!late) {
                            super.deliver(receiver, channel, payload);
                        }
                        if (receiver.group().equals("other")
                                && payload.equals(new SoakItem(1, 4).text())) {
                            super.deliver(receiver, channel, ITEM);
                        }
                    }
                };
        assertFails(
                groups,
                new CorrectServer().with(faulty),
                "listener on .+_groups: item 3 of worker 1 came after item 4");
    }
}
