package io.holdfast.verification.soak;

import static io.holdfast.verification.soak.ScenarioRun.assertFails;
import static io.holdfast.verification.soak.ScenarioRun.assertPasses;
import static io.holdfast.verification.soak.ScenarioRun.assertStops;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

@DisplayName("The soak test of queue groups")
@Timeout(120)
class SignalGroupsScenarioIT {
    private static final String ITEM = new NumberedPayload(1, 3).text();

    private final Scenario groups = new SignalGroupsScenario();

    /** Delivers one signal of this group incorrectly. */
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

        /** The members of a group except one. */
        final List<Registration> others(Registration one, String ofGroup) {
            return registrations().stream()
                    .filter(other -> other.pattern().equals(one.pattern()))
                    .filter(other -> other.group().equals(ofGroup) && !other.equals(one))
                    .toList();
        }
    }

    @Test
    void the_group_scenario_passes_a_correct_server() throws Exception {
        assertPasses(groups, new CorrectServer());
    }

    @Test
    void the_group_scenario_ends_all_registrations_when_a_stop_is_requested() throws Exception {
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
    void the_group_scenario_detects_a_wrong_response(String command, String response, String reason)
            throws Exception {
        var rule =
                new CorrectServer()
                        .except(request -> request.command().equals(command) ? response : null);
        assertFails(groups, rule, reason);
    }

    @Test
    void the_group_scenario_detects_a_signal_that_two_members_receive() throws Exception {
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
    void the_group_scenario_detects_a_lost_signal(String group, String name) throws Exception {
        var faulty =
                new Faulty(group) {
                    @Override
                    void deliverWrongly(Registration receiver, String channel, String payload) {}
                };
        assertFails(
                groups, new CorrectServer().with(faulty), name + ": item 3 of worker 1 never came");
    }

    @Test
    void the_group_scenario_detects_a_signal_delivered_to_the_wrong_group() throws Exception {
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
    void the_group_scenario_detects_a_group_of_which_one_member_receives_all_signals()
            throws Exception {
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
    void the_group_scenario_detects_signals_out_of_order() throws Exception {
        var faulty =
                new CorrectSignals() {
                    @Override
                    void deliver(Registration receiver, String channel, String payload) {
                        boolean late = receiver.group().equals("other") && payload.equals(ITEM);
                        if (!late) {
                            super.deliver(receiver, channel, payload);
                        }
                        if (receiver.group().equals("other")
                                && payload.equals(new NumberedPayload(1, 4).text())) {
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
