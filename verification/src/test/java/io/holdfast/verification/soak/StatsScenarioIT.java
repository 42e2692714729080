package io.holdfast.verification.soak;

import static io.holdfast.verification.soak.ScenarioRun.assertFails;
import static io.holdfast.verification.soak.ScenarioRun.assertPasses;

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
    void the_statistics_scenario_passes_a_server_with_no_leftovers() throws Exception {
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
    void the_statistics_scenario_detects_a_wrong_response(String response, String reason)
            throws Exception {
        var rule =
                new CorrectServer()
                        .except(request -> request.command().equals("stats") ? response : null);
        assertFails(stats, rule, reason);
    }
}
