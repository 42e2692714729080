package io.holdfast.verification.soak;

import static io.holdfast.verification.soak.ScenarioRun.assertFails;
import static io.holdfast.verification.soak.ScenarioRun.assertPasses;
import static io.holdfast.verification.soak.ScenarioRun.assertStops;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@DisplayName("The soak test of values with a time to live")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ValueTtlScenarioIT {
    private final Scenario ttl = new ValueTtlScenario();

    private static CorrectData neverEnding(String part) {
        return new CorrectData() {
            @Override
            void put(String key, String text, long ttl) {
                super.put(key, text, key.contains(part) ? 0 : ttl);
            }
        };
    }

    @Test
    void the_ttl_scenario_passes_a_correct_server() throws Exception {
        assertPasses(ttl, new CorrectServer());
    }

    @Test
    void the_ttl_scenario_removes_its_values_when_a_stop_is_requested() throws Exception {
        var stop = new StopRequest();
        var rule =
                new CorrectServer()
                        .with(neverEnding("ttl"))
                        .except(
                                request -> {
                                    if (request.argument().startsWith("prolonged")) {
                                        stop.request();
                                    }
                                    return null;
                                });
        assertStops(ttl, rule, stop); // not stopped, it would fail
    }

    @Test
    void the_ttl_scenario_detects_a_value_that_does_not_expire() throws Exception {
        assertFails(
                ttl,
                new CorrectServer().with(neverEnding("ttl_ends")),
                "kget .+_ttl_ends_\\d: got \"ok ephemeral\", want \"nil\"");
    }

    @Test
    void the_ttl_scenario_detects_a_second_ttl_that_is_ignored() throws Exception {
        assertFails(
                ttl,
                new CorrectServer().with(neverEnding("ttl_shortened")),
                "kget .+_ttl_shortened_\\d: got \"ok ephemeral\", want \"nil\"");
    }

    @Test
    void the_ttl_scenario_detects_a_value_that_expires_at_once() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    @Nullable String value(String key) {
                        return null;
                    }
                };
        // On a machine that stalls for a second, only the values that must not expire show the
        // fault.
        assertFails(
                ttl,
                new CorrectServer().with(data),
                "kget .+: got \"nil\"( before it was due to expire|, want \"ok kept\")");
    }

    @Test
    void the_ttl_scenario_detects_a_value_set_again_without_ttl_that_still_expires()
            throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    void put(String key, String text, long ttl) {
                        super.put(key, text, text.equals("kept") ? 1 : ttl);
                    }
                };
        assertFails(
                ttl,
                new CorrectServer().with(data),
                "kget .+_ttl_kept_\\d: got \"nil\", want \"ok kept\"");
    }

    @Test
    void the_ttl_scenario_detects_a_prolonged_value_that_still_expires() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    void put(String key, String text, long ttl) {
                        super.put(key, text, Math.min(ttl, 1));
                    }
                };
        assertFails(
                ttl,
                new CorrectServer().with(data),
                "kget .+_ttl_prolonged_\\d: got \"nil\", want \"ok prolonged\"");
    }

    @Test
    void the_ttl_scenario_detects_a_value_that_cannot_be_removed() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    void remove(String key) {}
                };
        assertFails(ttl, new CorrectServer().with(data), "kget .+: got \"ok .+\", want \"nil\"");
    }
}
