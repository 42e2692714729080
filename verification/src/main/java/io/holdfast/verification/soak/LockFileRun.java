package io.holdfast.verification.soak;

import io.holdfast.driver.FailureText;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Shares lock files among processes and shell scripts that are killed, suspended and displaced, and
 * checks that no two that respect the lock hold it at once. Each round runs all {@link
 * LockFileScenario}s.
 */
final class LockFileRun {
    private static final List<LockFileScenario> SCENARIOS =
            List.of(
                    new LockFileKillScenario(Duration.ofSeconds(30)),
                    new LockFileTakeoverScenario(300),
                    new LockFileOverwriteScenario(Duration.ofSeconds(6)),
                    new SuspendedHolderScenario(),
                    new LockFileWakeUpScenario(30));

    private final LockFileSoakOptions options;
    private final List<LockFileScenario> scenarios;
    private final TimestampedPrinter log;
    private final StopRequest stop;
    private final LockFileStatistics statistics = new LockFileStatistics();

    LockFileRun(LockFileSoakOptions options, TimestampedPrinter log, StopRequest stop) {
        this(options, SCENARIOS, log, stop);
    }

    LockFileRun(
            LockFileSoakOptions options,
            List<LockFileScenario> scenarios,
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
                "soak: lockfile rounds="
                        + options.rounds()
                        + " processes="
                        + options.processes()
                        + " seed="
                        + options.seed());
        log.print("soak: press Ctrl-C to stop");
        Path folder;
        try {
            folder = folder();
        } catch (IOException | CheckFailedException e) {
            log.plain("FAIL [lockfile]: " + FailureText.withFile(e));
            return SoakRun.FAILED;
        }
        int done = rounds(folder);
        if (done < 0) {
            return SoakRun.FAILED;
        }
        log.print("soak: stopped after " + done + " rounds: " + statistics);
        return SoakRun.STOPPED;
    }

    LockFileStatistics statistics() {
        return statistics;
    }

    private Path folder() throws IOException, CheckFailedException {
        if (!Files.isDirectory(Path.of("/proc/self/task"))) {
            throw new CheckFailedException("--lockfile runs on Linux only");
        }
        var below = options.folder();
        return below == null
                ? Files.createTempDirectory("holdfast-soak")
                : Files.createTempDirectory(below.toRealPath(), "soak");
    }

    /** Returns the number of rounds, or -1 after a failure, when the folder is kept. */
    private int rounds(Path folder) throws InterruptedException {
        var random = new Random(options.seed());
        int done = 0;
        var name = "lockfile";
        try {
            while (done < options.rounds() && !stop.isRequested()) {
                for (var scenario : scenarios) {
                    if (!stop.isRequested()) {
                        name = scenario.name();
                        run(scenario, folder.resolve(name), random);
                    }
                }
                if (!stop.isRequested()) {
                    done++;
                    log.print("round " + done + " complete: " + statistics);
                }
            }
            delete(folder);
            return done;
        } catch (IOException | CheckFailedException | RuntimeException e) {
            log.plain(
                    "FAIL ["
                            + name
                            + "]: "
                            + FailureText.of(e)
                            + "; seed "
                            + options.seed()
                            + ", the files are in "
                            + folder.resolve(name));
            return -1;
        }
    }

    private void run(LockFileScenario scenario, Path folder, Random random)
            throws IOException, InterruptedException, CheckFailedException {
        long started = System.nanoTime();
        Files.createDirectory(folder);
        // Each scenario has its own seed, so the numbers that one draws do not change the next.
        var own = new Random(random.nextLong());
        scenario.run(
                new LockFileScenarioContext(folder, options.processes(), own, stop, statistics));
        delete(folder);
        if (stop.isRequested()) {
            return; // the scenario was cut short
        }
        var took = Duration.ofNanos(System.nanoTime() - started);
        log.print(
                String.format(
                        Locale.ROOT,
                        "%s complete (%.1fs)",
                        scenario.name(),
                        took.toMillis() / 1e3));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
