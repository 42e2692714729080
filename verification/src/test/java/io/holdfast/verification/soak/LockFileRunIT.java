package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.testsupport.TestTier;
import io.holdfast.verification.bench.CommandRun;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the scenarios of {@code holdfast soak --lockfile} for a short time. */
@DisplayName("The soak command with --lockfile")
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class LockFileRunIT {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    private LockFileStatistics run(LockFileScenario scenario, int processes)
            throws InterruptedException {
        var out = new StringWriter();
        var options =
                new LockFileSoakOptions(
                        1, processes, folder, ThreadLocalRandom.current().nextInt());
        var run =
                new LockFileRun(
                        options,
                        List.of(scenario),
                        new TimestampedPrinter(new PrintWriter(out)),
                        new StopRequest());
        int status = run.run();
        System.err.print(out); // shows the times in the build log
        assertThat(status).as(out.toString()).isZero();
        assertThat(folder).isEmptyDirectory();
        return run.statistics();
    }

    @Test
    void killed_holders_never_overlap_and_the_lock_is_always_recovered()
            throws InterruptedException {
        var statistics =
                run(new LockFileKillScenario(Duration.ofSeconds(TestTier.usually(5, 60))), 6);
        assertThat(statistics.turns()).isGreaterThan(20);
        assertThat(statistics.recoveries()).isNotEmpty();
        assertThat(statistics.overlaps()).isZero();
        assertThat(statistics.losses()).isZero();
    }

    @Test
    void exactly_one_process_takes_over_a_stale_lock() throws InterruptedException {
        var statistics = run(new LockFileTakeoverScenario(TestTier.usually(80, 1000)), 6);
        assertThat(statistics.takeovers()).isGreaterThan(TestTier.usually(60, 750));
        assertThat(statistics.kills()).isPositive();
    }

    @Test
    void a_holder_displaced_by_an_overwriting_script_is_notified() throws InterruptedException {
        var statistics =
                run(new LockFileOverwriteScenario(Duration.ofSeconds(TestTier.usually(3, 30))), 4);
        assertThat(statistics.displaced()).isPositive();
        assertThat(statistics.losses()).isPositive();
    }

    @Test
    void a_holder_suspended_beyond_the_stale_timeout_is_notified_of_its_loss()
            throws InterruptedException {
        assertThat(run(new SuspendedHolderScenario(), 3).losses()).isEqualTo(3);
    }

    @Test
    void a_waiter_wakes_up_soon_after_a_release() throws InterruptedException {
        assertThat(run(new LockFileWakeUpScenario(20), 3).wakeUps()).hasSize(19);
    }

    @Test
    void a_lock_file_run_that_cannot_start_fails_with_one_line() {
        var run =
                CommandRun.of(
                        new SoakCommand(Map.of(), SoakMain.class),
                        "--lockfile",
                        "--dir=/nonexistent");
        assertThat(run.err().lines())
                .last()
                .asString()
                .startsWith("FAIL [lockfile]: ")
                .contains("/nonexistent");
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void a_failed_run_keeps_its_files_and_prints_their_folder() throws InterruptedException {
        var out = new StringWriter();
        var failing =
                new LockFileScenario() {
                    @Override
                    public String name() {
                        return "failing";
                    }

                    @Override
                    public void run(LockFileScenarioContext context) throws CheckFailedException {
                        throw new CheckFailedException("two were inside");
                    }
                };
        int status =
                new LockFileRun(
                                new LockFileSoakOptions(1, 3, folder, 42),
                                List.of(failing),
                                new TimestampedPrinter(new PrintWriter(out)),
                                new StopRequest())
                        .run();
        assertThat(status).isEqualTo(1);
        var kept = folder.toFile().listFiles();
        assertThat(kept).hasSize(1);
        assertThat(out.toString())
                .endsWith(
                        "FAIL [failing]: two were inside; seed 42, the files are in "
                                + kept[0].toPath().toAbsolutePath().resolve("failing")
                                + "\n");
        assertThat(kept[0].toPath().resolve("failing")).isEmptyDirectory();
    }

    @Test
    void a_signal_ends_the_run_gracefully_and_leaves_no_process_behind()
            throws IOException, InterruptedException {
        var children = endWhileActive(false);
        assertThat(children).as("child processes").hasSizeGreaterThan(2);
        for (var child : children) {
            assertThat(end(child)).isTrue();
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void a_killed_run_leaves_no_process_behind() throws IOException, InterruptedException {
        for (var child : endWhileActive(true)) {
            assertThat(end(child)).isTrue();
        }
    }

    private static boolean end(ProcessHandle process) {
        return process.onExit()
                .thenApply(_ -> true)
                .completeOnTimeout(false, 60, TimeUnit.SECONDS)
                .join();
    }

    /** Ends a run while processes are active, and returns the processes that it had started. */
    private List<ProcessHandle> endWhileActive(boolean forcibly)
            throws IOException, InterruptedException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var process =
                new ProcessBuilder(
                                java,
                                "-cp",
                                System.getProperty("java.class.path"),
                                SoakMain.class.getName(),
                                "--lockfile",
                                "--processes=4",
                                "--dir=" + folder)
                        .start();
        var lines = new ArrayList<String>();
        try {
            var output = CompletableFuture.supplyAsync(() -> read(process.errorReader(), lines));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> hasAnyTurnBegun() || !process.isAlive());
            var children = process.descendants().toList();
            if (forcibly) {
                process.toHandle().destroyForcibly();
            } else {
                process.toHandle().destroy(); // leaves the streams open
                output.join();
                assertThat(process.waitFor()).as(lines.toString()).isZero();
                assertThat(lines).last().asString().contains("soak: stopped after 0 rounds: ");
            }
            return children;
        } finally {
            process.destroyForcibly();
        }
    }

    private boolean hasAnyTurnBegun() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.anyMatch(
                    file ->
                            file.getFileName().toString().equals(LockFileProcesses.LOG)
                                    && file.toFile().length() > 0);
        } catch (UncheckedIOException e) {
            return false; // a file was removed during the walk
        }
    }

    private static boolean read(BufferedReader from, List<String> into) {
        from.lines().forEach(into::add);
        return true;
    }
}
