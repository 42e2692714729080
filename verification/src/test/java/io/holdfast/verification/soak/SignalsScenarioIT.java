package io.holdfast.verification.soak;

import static io.holdfast.verification.soak.ScenarioRun.assertFails;
import static io.holdfast.verification.soak.ScenarioRun.assertPasses;
import static io.holdfast.verification.soak.ScenarioRun.assertStops;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The soak test of signals")
@Timeout(120)
class SignalsScenarioIT {
    private final Scenario signals = new SignalsScenario();

    /** Delivers incorrectly to the listener on the {@code >} pattern only. */
    private abstract static class Faulty extends CorrectSignals {
        @Override
        void deliver(Registration receiver, String channel, String payload) {
            if (receiver.pattern().endsWith("_signals.>")) {
                deliverWrongly(receiver, channel, payload);
            } else {
                super.deliver(receiver, channel, payload);
            }
        }

        abstract void deliverWrongly(Registration receiver, String channel, String payload);
    }

    private static final String ITEM = new NumberedPayload(1, 3).text();

    @Test
    void the_signal_scenario_passes_a_correct_server() throws Exception {
        assertPasses(signals, new CorrectServer());
    }

    @Test
    void the_signal_scenario_accepts_its_own_signals_before_and_after_the_response()
            throws Exception {
        var rule =
                new CorrectServer()
                        .except(
                                request ->
                                        request.command().equals("signal")
                                                        && request.key().endsWith(".news")
                                                        && request.key().contains("_own.")
                                                ? "ok 1\nsig "
                                                        + request.key()
                                                        + " "
                                                        + request.argument()
                                                : null);
        assertPasses(signals, rule);
    }

    @Test
    void the_signal_scenario_ends_all_registrations_when_a_stop_is_requested() throws Exception {
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
        assertStops(signals, rule, stop);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    listen   | error | listen .+_signals.news: got "error", want "ok"
                    signal   | ok 2  | signal .+_signals.news: got "ok 2", want "ok 3"
                    signal   | error | signal .+_signals.news: got "error", want "ok 3"
                    unlisten | error | unlisten .+_signals.news: got "error", want "ok"
                    unlisten | ok    | signal .+_signals.news: got "ok 3", want "ok 0"
                    """)
    void the_signal_scenario_detects_a_wrong_response(
            String command, String response, String reason) throws Exception {
        var rule =
                new CorrectServer()
                        .except(request -> request.command().equals(command) ? response : null);
        assertFails(signals, rule, reason);
    }

    @Test
    void the_signal_scenario_detects_a_lost_signal() throws Exception {
        var faulty =
                new Faulty() {
                    @Override
                    void deliverWrongly(Registration receiver, String channel, String payload) {
                        if (!payload.equals(ITEM)) {
                            push(receiver.connection(), channel, payload);
                        }
                    }
                };
        assertFails(
                signals,
                new CorrectServer().with(faulty),
                "listener on .+_signals\\.>: item 3 of worker 1 never came");
    }

    @Test
    void the_signal_scenario_detects_a_duplicate_signal() throws Exception {
        var faulty =
                new Faulty() {
                    @Override
                    void deliverWrongly(Registration receiver, String channel, String payload) {
                        push(receiver.connection(), channel, payload);
                        if (payload.equals(ITEM)) {
                            push(receiver.connection(), channel, payload);
                        }
                    }
                };
        assertFails(
                signals,
                new CorrectServer().with(faulty),
                "listener on .+_signals\\.>: item 3 of worker 1 came twice");
    }

    @Test
    void the_signal_scenario_detects_a_signal_that_overtook_another() throws Exception {
        var faulty =
                new Faulty() {
                    @Override
                    void deliverWrongly(Registration receiver, String channel, String payload) {
                        if (payload.equals(ITEM)) {
                            return;
                        }
                        push(receiver.connection(), channel, payload);
                        if (payload.equals(new NumberedPayload(1, 4).text())) {
                            push(receiver.connection(), channel, ITEM);
                        }
                    }
                };
        assertFails(
                signals,
                new CorrectServer().with(faulty),
                "listener on .+_signals\\.>: item 3 of worker 1 came after item 4");
    }

    @Test
    void the_signal_scenario_detects_a_signal_of_another_channel() throws Exception {
        var faulty =
                new Faulty() {
                    @Override
                    void deliverWrongly(Registration receiver, String channel, String payload) {
                        push(receiver.connection(), channel + ".more", payload);
                    }
                };
        assertFails(
                signals,
                new CorrectServer().with(faulty),
                "listener on .+_signals\\.> got a signal of .+_signals\\.news\\.more");
    }

    @Test
    void the_signal_scenario_detects_a_changed_payload() throws Exception {
        var faulty =
                new Faulty() {
                    @Override
                    void deliverWrongly(Registration receiver, String channel, String payload) {
                        push(receiver.connection(), channel, payload.strip());
                    }
                };
        assertFails(
                signals,
                new CorrectServer().with(faulty),
                "listener on .+_signals\\.>: got \"\\d 0 .+\", which no worker sent");
    }

    @Test
    void the_signal_scenario_detects_a_signal_to_a_connection_that_does_not_listen()
            throws Exception {
        // The unsolicited line arrives before the response to the request in flight.
        var rule =
                new CorrectServer()
                        .except(
                                request ->
                                        request.argument().equals(ITEM)
                                                ? "sig " + request.key() + " x\nok 3"
                                                : null);
        assertFails(signals, rule, "got \"sig .+_signals\\.news x\" without listening");
    }

    @Test
    void the_signal_scenario_detects_an_unsolicited_response() throws Exception {
        var faulty =
                new Faulty() {
                    @Override
                    void deliverWrongly(Registration receiver, String channel, String payload) {
                        pushLine(receiver.connection(), "ok");
                    }
                };
        assertFails(
                signals,
                new CorrectServer().with(faulty),
                "got \"ok\", want \"sig <channel> <payload>\"");
    }

    @Test
    void the_signal_scenario_detects_a_signal_after_the_last_unlisten() throws Exception {
        var rule =
                new CorrectServer()
                        .except(
                                request ->
                                        request.command().equals("unlisten")
                                                        && request.key().endsWith("_end")
                                                ? "sig " + request.key() + " late\nok"
                                                : null);
        assertFails(signals, rule, "one signal too many: \"sig .+_signals_end late\"");
    }

    @Test
    void the_signal_scenario_detects_a_second_copy_for_a_second_pattern() throws Exception {
        var twice =
                new CorrectSignals() {
                    @Override
                    void deliver(Registration receiver, String channel, String payload) {
                        super.deliver(receiver, channel, payload);
                        if (channel.contains("_own.")) {
                            super.deliver(receiver, channel, payload);
                        }
                    }
                };
        assertFails(
                signals,
                new CorrectServer().with(twice),
                "sent \"sig .+ 1 is .+\" to itself, got \"sig .+ 0 is .+\"");
    }
}
