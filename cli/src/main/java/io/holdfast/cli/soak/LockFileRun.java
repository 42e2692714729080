package io.holdfast.cli.soak;

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
 * Shares lock files among processes and shell scripts that are killed, stopped and displaced, and
 * checks that never two are inside that respect the lock: goes through all {@link
 * LockFileScenario}s, round after round.
 */
final class LockFileRun {
    private static final List<LockFileScenario> SCENARIOS =
            List.of(
                    new LockFileHammer(Duration.ofSeconds(30)),
                    new LockFileTakeover(300),
                    new LockFileOverwriter(Duration.ofSeconds(6)),
                    new LockFileSleeper(),
                    new LockFileWakeUp(30));

    private final LockFilePlan plan;
    private final List<LockFileScenario> scenarios;
    private final SoakLog log;
    private final StopRequest stop;
    private final LockFileStatistics statistics = new LockFileStatistics();

    LockFileRun(LockFilePlan plan, SoakLog log, StopRequest stop) {
        this(plan, SCENARIOS, log, stop);
    }

    LockFileRun(
            LockFilePlan plan, List<LockFileScenario> scenarios, SoakLog log, StopRequest stop) {
        this.plan = plan;
        this.scenarios = scenarios;
        this.log = log;
        this.stop = stop;
    }

    /** Gives the exit status. */
    int run() throws InterruptedException {
        log.say(
                "soak: lockfile rounds="
                        + plan.rounds()
                        + " processes="
                        + plan.processes()
                        + " seed="
                        + plan.seed());
        log.say("soak: press Ctrl-C to stop");
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
        log.say("soak: stopped after " + done + " rounds: " + statistics);
        return SoakRun.STOPPED;
    }

    LockFileStatistics statistics() {
        return statistics;
    }

    private Path folder() throws IOException, CheckFailedException {
        if (!Files.isDirectory(Path.of("/proc/self/task"))) {
            throw new CheckFailedException("it is for Linux only");
        }
        var below = plan.folder();
        return below == null
                ? Files.createTempDirectory("holdfast-soak")
                : Files.createTempDirectory(below.toRealPath(), "soak");
    }

    /** Gives the number of rounds, -1 after a failure. Then the folder stays. */
    private int rounds(Path folder) throws InterruptedException {
        var random = new Random(plan.seed());
        int done = 0;
        var name = "lockfile";
        try {
            while (done < plan.rounds() && !stop.isRequested()) {
                for (var scenario : scenarios) {
                    if (!stop.isRequested()) {
                        name = scenario.name();
                        run(scenario, folder.resolve(name), random);
                    }
                }
                if (!stop.isRequested()) {
                    done++;
                    log.say("round " + done + " complete: " + statistics);
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
                            + plan.seed()
                            + ", the files are in "
                            + folder.resolve(name));
            return -1;
        }
    }

    private void run(LockFileScenario scenario, Path folder, Random random)
            throws IOException, InterruptedException, CheckFailedException {
        long started = System.nanoTime();
        Files.createDirectory(folder);
        // A seed of its own: what one scenario draws does not change the next.
        var own = new Random(random.nextLong());
        scenario.run(new LockFileStage(folder, plan.processes(), own, stop, statistics));
        delete(folder);
        if (stop.isRequested()) {
            return; // it was cut short
        }
        var took = Duration.ofNanos(System.nanoTime() - started);
        log.say(
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
