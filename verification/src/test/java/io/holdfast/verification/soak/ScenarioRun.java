package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.holdfast.console.json.JsonValue;
import io.holdfast.console.options.ServerAddress;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Runs one scenario for one cycle against a fake server, and checks that it left nothing there. */
final class ScenarioRun {
    private static final int WORKERS = 4;
    private static final int ROUNDS = 20;

    private ScenarioRun() {}

    static void assertPasses(Scenario scenario, CorrectServer rule)
            throws IOException, InterruptedException {
        var log = run(scenario, rule, WORKERS, new StopRequest(), SoakRun.STOPPED);
        assertThat(log).contains("cycle 1 complete").doesNotContain("FAIL");
        assertNothingLeft(rule);
    }

    /** Runs the scenario with a rule that requests the stop in the middle of it. */
    static void assertStops(Scenario scenario, CorrectServer rule, StopRequest stop)
            throws IOException, InterruptedException {
        var log = run(scenario, rule, WORKERS, stop, SoakRun.STOPPED);
        assertThat(log).contains("stopped after 0 cycles").doesNotContain("FAIL");
        assertNothingLeft(rule);
    }

    /**
     * @param reason a pattern for what follows {@code FAIL [name]: }
     */
    static void assertFails(Scenario scenario, CorrectServer rule, String reason)
            throws IOException, InterruptedException {
        assertFails(scenario, rule, WORKERS, reason);
    }

    /**
     * As {@link #assertFails}, with a single worker, for a fault whose message differs when workers
     * interfere.
     */
    static void assertFailsAlone(Scenario scenario, CorrectServer rule, String reason)
            throws IOException, InterruptedException {
        assertFails(scenario, rule, 1, reason);
    }

    private static void assertFails(
            Scenario scenario, CorrectServer rule, int workers, String reason)
            throws IOException, InterruptedException {
        var log = run(scenario, rule, workers, new StopRequest(), SoakRun.FAILED);
        assertThat(log.lines().filter(line -> line.startsWith("FAIL")))
                .singleElement()
                .asString()
                .matches("FAIL \\[" + scenario.name() + "]: " + reason);
    }

    private static String run(
            Scenario scenario, CorrectServer rule, int workers, StopRequest stop, int status)
            throws IOException, InterruptedException {
        var log = new StringWriter();
        try (var server = rule.start()) {
            var options =
                    new SoakOptions(
                            List.of(ServerAddress.parse(server.address())),
                            workers,
                            ROUNDS,
                            1,
                            null,
                            null);
            var run =
                    new SoakRun(
                            options,
                            List.of(scenario),
                            new TimestampedPrinter(new PrintWriter(log)),
                            stop);
            assertThat(run.run()).isEqualTo(status);
            await().until(() -> server.openConnections() == 0);
        }
        return log.toString();
    }

    private static void assertNothingLeft(CorrectServer rule) {
        var stats = (JsonValue.ObjectValue) JsonValue.parse(rule.stats());
        assertThatCode(() -> StatsScenario.check(stats, "soak_")).doesNotThrowAnyException();
    }
}
