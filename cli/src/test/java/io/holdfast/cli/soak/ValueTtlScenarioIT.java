package io.holdfast.cli.soak;

import static io.holdfast.cli.soak.ScenarioRun.assertFails;
import static io.holdfast.cli.soak.ScenarioRun.assertPasses;
import static io.holdfast.cli.soak.ScenarioRun.assertStops;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@DisplayName("The soak test of values that end")
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
    void passes_a_server_that_keeps_values_for_as_long_as_asked() throws Exception {
        assertPasses(ttl, new CorrectServer());
    }

    @Test
    void looks_no_further_but_tidies_up_when_told_to_stop() throws Exception {
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
    void catches_a_value_that_does_not_end() throws Exception {
        assertFails(
                ttl,
                new CorrectServer().with(neverEnding("ttl_ends")),
                "kget .+_ttl_ends_\\d: got \"ok ephemeral\", want \"nil\"");
    }

    @Test
    void catches_a_second_time_to_live_that_is_not_heeded() throws Exception {
        assertFails(
                ttl,
                new CorrectServer().with(neverEnding("ttl_shortened")),
                "kget .+_ttl_shortened_\\d: got \"ok ephemeral\", want \"nil\"");
    }

    @Test
    void catches_a_value_that_ends_at_once() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    @Nullable String value(String key) {
                        return null;
                    }
                };
        // On a machine that stalls for a second, only the values that must stay tell.
        assertFails(
                ttl,
                new CorrectServer().with(data),
                "kget .+: got \"nil\"( before its time was up|, want \"ok kept\")");
    }

    @Test
    void catches_a_value_that_was_set_again_for_good_and_still_ends() throws Exception {
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
    void catches_a_value_that_was_prolonged_and_still_ends() throws Exception {
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
    void catches_a_value_that_cannot_be_removed() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    void remove(String key) {}
                };
        assertFails(ttl, new CorrectServer().with(data), "kget .+: got \"ok .+\", want \"nil\"");
    }
}
