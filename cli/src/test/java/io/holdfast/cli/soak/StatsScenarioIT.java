package io.holdfast.cli.soak;

import static io.holdfast.cli.soak.ScenarioRun.assertFails;
import static io.holdfast.cli.soak.ScenarioRun.assertPasses;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The soak test of the statistics")
@Timeout(120)
class StatsScenarioIT {
    private final Scenario stats = new StatsScenario();

    @Test
    void passes_a_server_on_which_nothing_is_left() throws Exception {
        assertPasses(stats, new CorrectServer());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    error         | stats: got "error", want "ok <json>"
                    ok {"locks":[ | stats is not JSON: .*
                    ok 7          | stats is not a JSON object
                    ok {}         | stats has no locks or no semaphores
                    """)
    void catches_a_wrong_answer(String answer, String reason) throws Exception {
        var rule =
                new CorrectServer()
                        .except(request -> request.command().equals("stats") ? answer : null);
        assertFails(stats, rule, reason);
    }
}
