package io.holdfast.verification.soak;

import io.holdfast.console.options.ServerAddress;
import io.holdfast.driver.FailureText;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Runs cycles until a stop is requested, the number of cycles is reached or a check fails. */
final class SoakRun {
    static final int STOPPED = 0;
    static final int FAILED = 1;

    /** In the order in which a cycle runs them. The check for leftovers comes last. */
    static final List<Scenario> SCENARIOS =
            List.of(
                    new LocksScenario(),
                    new SemaphoresScenario(),
                    new TwoPhaseScenario(),
                    new CounterCommandsScenario(),
                    new ValuesScenario(),
                    new ValueTtlScenario(),
                    new SignalsScenario(),
                    new SignalGroupsScenario(),
                    new ListsScenario(),
                    new StatsScenario());

    private final SoakOptions options;
    private final List<Scenario> scenarios;
    private final TimestampedPrinter log;
    private final StopRequest stop;

    SoakRun(
            SoakOptions options,
            List<Scenario> scenarios,
            TimestampedPrinter log,
            StopRequest stop) {
        this.options = options;
        this.scenarios = scenarios;
        this.log = log;
        this.stop = stop;
    }

    /** Returns the exit status. */
    int run() throws InterruptedException {
        log.print(
                "soak: server="
                        + options.servers().stream()
                                .map(ServerAddress::toString)
                                .collect(Collectors.joining(","))
                        + " workers="
                        + options.workers()
                        + " rounds/cycle="
                        + options.rounds());
        log.print("soak: press Ctrl-C to stop");
        long done = 0;
        while (!stop.isRequested()) {
            long started = System.nanoTime();
            if (!cycle()) {
                return FAILED;
            }
            if (stop.isRequested()) {
                break; // the cycle was cut short
            }
            done++;
            var took = Duration.ofNanos(System.nanoTime() - started);
            log.print("cycle " + done + " complete (" + seconds(took) + ")");
            if (done == options.cycles()) {
                break;
            }
        }
        log.print("soak: stopped after " + done + " cycles");
        return STOPPED;
    }

    private boolean cycle() throws InterruptedException {
        var soakCycle = new SoakCycle(options, stop);
        for (var scenario : scenarios) {
            if (stop.isRequested()) {
                break;
            }
            try (soakCycle) {
                scenario.run(soakCycle);
            } catch (IOException | CheckFailedException | RuntimeException e) {
                log.plain("FAIL [" + scenario.name() + "]: " + FailureText.of(e));
                return false;
            }
        }
        return true;
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.3fs", time.toNanos() / 1e9);
    }
}
