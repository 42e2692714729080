package io.holdfast.verification.soak;

import static io.holdfast.verification.soak.ScenarioRun.assertFails;
import static io.holdfast.verification.soak.ScenarioRun.assertPasses;
import static io.holdfast.verification.soak.ScenarioRun.assertStops;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The soak test of counters")
@Timeout(120)
class CounterCommandsScenarioIT {
    private final Scenario counters = new CounterCommandsScenario();

    @Test
    void the_counter_scenario_passes_a_correct_server() throws Exception {
        assertPasses(counters, new CorrectServer());
    }

    @Test
    void the_counter_scenario_clears_its_counters_when_a_stop_is_requested() throws Exception {
        var stop = new StopRequest();
        var rule = new CorrectServer();
        rule.except(
                request -> {
                    if (request.key().endsWith("_counter") && request.command().equals("incr")) {
                        stop.request();
                    }
                    return null;
                });
        assertStops(counters, rule, stop);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    incr | error          | incr .+_counter_\\d: got "error", want "ok 1"
                    incr | error_max_keys | incr .+: got "error_max_keys", want "ok 1"
                    decr | ok 1           | decr .+_counter_\\d: got "ok 1", want "ok 0"
                    get  | ok 7           | get .+_counter_\\d: got "ok 7", want "ok 0"
                    cset | error          | cset .+_counter_\\d: got "error", want "ok"
                    """)
    void the_counter_scenario_detects_a_wrong_response(
            String command, String response, String reason) throws Exception {
        var rule =
                new CorrectServer()
                        .except(request -> request.command().equals(command) ? response : null);
        assertFails(counters, rule, reason);
    }

    @Test
    void the_counter_scenario_detects_an_update_that_another_one_overwrote() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    void count(String key, long value) {
                        if (!key.endsWith("_counter") || value % 30 != 0) {
                            super.count(key, value);
                        }
                    }
                };
        assertFails(
                counters,
                new CorrectServer().with(data),
                "incr .+_counter: two workers got \"ok 30\"");
    }

    @Test
    void the_counter_scenario_detects_an_update_that_was_applied_twice() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    void count(String key, long value) {
                        super.count(key, key.endsWith("_counter") && value == 30 ? 31 : value);
                    }
                };
        assertFails(
                counters,
                new CorrectServer().with(data),
                "incr .+_counter: no worker got \"ok 31\"");
    }

    @Test
    void the_counter_scenario_detects_a_wrong_sum_after_correct_responses() throws Exception {
        var rule =
                new CorrectServer()
                        .except(
                                request ->
                                        request.command().equals("get")
                                                        && request.key().endsWith("_counter")
                                                ? "ok 79"
                                                : null);
        assertFails(counters, rule, "get .+_counter: got \"ok 79\", want \"ok 80\"");
    }

    @Test
    void the_counter_scenario_detects_a_counter_that_cannot_be_cleared() throws Exception {
        var rule =
                new CorrectServer()
                        .except(request -> request.command().equals("cset") ? "ok" : null);
        assertFails(counters, rule, "get .+_counter_\\d: got \"ok 20\", want \"ok 0\"");
    }

    @Test
    void the_counter_scenario_detects_a_counter_that_decreases_for_one_worker() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    void count(String key, long value) {
                        boolean shared = key.endsWith("_counter");
                        super.count(key, shared && value == 30 ? -1000 : value);
                    }
                };
        assertFails(counters, new CorrectServer().with(data), "incr .+_counter: -\\d+ after \\d+");
    }
}
