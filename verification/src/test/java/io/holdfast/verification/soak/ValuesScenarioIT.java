package io.holdfast.verification.soak;

import static io.holdfast.verification.soak.ScenarioRun.assertFails;
import static io.holdfast.verification.soak.ScenarioRun.assertPasses;
import static io.holdfast.verification.soak.ScenarioRun.assertStops;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashMap;
import java.util.Map;

@DisplayName("The soak test of values")
@Timeout(120)
class ValuesScenarioIT {
    private final Scenario values = new ValuesScenario();

    @Test
    void the_value_scenario_passes_a_correct_server() throws Exception {
        assertPasses(values, new CorrectServer());
    }

    @Test
    void the_value_scenario_removes_its_values_when_a_stop_is_requested() throws Exception {
        var stop = new StopRequest();
        var rule = new CorrectServer();
        rule.except(
                request -> {
                    if (request.key().endsWith("_kv")) {
                        stop.request();
                    }
                    return null;
                });
        assertStops(values, rule, stop);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    kset | error_max_keys | kset .+: got "error_max_keys", want "ok"
                    kget | nil            | kget .+_kv_\\d: got "nil", want "ok .+"
                    kget | error          | kget .+_kv_\\d: got "error", want "ok .+"
                    kdel | nil            | kdel .+_kv_\\d: got "nil", want "ok"
                    kdel | ok             | kget .+_kv_\\d: got "ok .+", want "nil"
                    """)
    void the_value_scenario_detects_a_wrong_response(String command, String response, String reason)
            throws Exception {
        var rule =
                new CorrectServer()
                        .except(request -> request.command().equals(command) ? response : null);
        assertFails(values, rule, reason);
    }

    @Test
    void the_value_scenario_detects_a_value_that_lost_its_blanks() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    void put(String key, String text, long ttl) {
                        super.put(key, text.strip(), ttl);
                    }
                };
        assertFails(values, new CorrectServer().with(data), "kget .+_kv_\\d: got \"ok \\d .+");
    }

    @Test
    void the_value_scenario_detects_a_value_that_an_older_one_replaced() throws Exception {
        var data =
                new CorrectData() {
                    private final Map<String, String> first = new HashMap<>();

                    @Override
                    void put(String key, String text, long ttl) {
                        super.put(key, text, ttl);
                        first.putIfAbsent(key, text);
                    }

                    @Override
                    @Nullable String value(String key) {
                        return key.endsWith("_kv") ? first.get(key) : super.value(key);
                    }
                };
        assertFails(
                values,
                new CorrectServer().with(data),
                "soak_\\w+_kv: item 0 of worker \\d came after item \\d+");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    nil     | kget .+_kv: got "nil", want "ok <value>"
                    ok what | kget .+_kv: got "what", which no worker sent
                    """)
    void the_value_scenario_detects_a_damaged_shared_value(String response, String reason)
            throws Exception {
        var rule =
                new CorrectServer()
                        .except(
                                request ->
                                        request.command().equals("kget")
                                                        && request.key().endsWith("_kv")
                                                ? response
                                                : null);
        assertFails(values, rule, reason);
    }
}
