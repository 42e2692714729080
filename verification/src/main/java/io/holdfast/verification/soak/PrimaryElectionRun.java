package io.holdfast.verification.soak;

import io.holdfast.driver.FailureText;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Kills the primary of a socketlock path repeatedly, while processes ({@link
 * PrimaryElectionWorker}) read and write a counter that only the lock protects.
 */
final class PrimaryElectionRun {
    /**
     * In one of this many rounds on average, another process is killed together with the primary.
     */
    private static final int ONE_OF_TWO_KILLS = 3;

    private static final int ONE_OF_WITHOUT_PAUSE = 4;
    private static final int MAX_LOAD_MILLIS = 600;
    private static final long END_SECONDS = 30;

    private final PrimaryElectionOptions options;
    private final TimestampedPrinter log;
    private final StopRequest stop;
    private final PrimaryElectionChecker checker = new PrimaryElectionChecker();
    private final Map<String, Process> workers = new LinkedHashMap<>();
    private final List<Thread> readers = new ArrayList<>();
    private int lastName;

    PrimaryElectionRun(PrimaryElectionOptions options, TimestampedPrinter log, StopRequest stop) {
        this.options = options;
        this.log = log;
        this.stop = stop;
    }

    /** Returns the exit status. */
    int run() throws InterruptedException {
        log.print(
                "soak: election rounds=" + options.rounds() + " processes=" + options.processes());
        log.print("soak: press Ctrl-C to stop");
        try {
            int done = inFolder();
            log.print(
                    "soak: stopped after %d rounds: %d kills, %d locks granted, %d increments, none lost, %d overlaps, slowest progress %s"
                            .formatted(
                                    done,
                                    checker.kills(),
                                    checker.grants(),
                                    checker.increments(),
                                    checker.overlaps(),
                                    seconds(checker.slowestMicros())));
            return SoakRun.STOPPED;
        } catch (IOException | CheckFailedException e) {
            log.plain("FAIL [election]: " + FailureText.withFile(e));
            return SoakRun.FAILED;
        }
    }

    private int inFolder() throws IOException, CheckFailedException, InterruptedException {
        var below = options.folder();
        var folder =
                below == null
                        ? Files.createTempDirectory("holdfast-soak")
                        : Files.createTempDirectory(below, "soak");
        try {
            int done = rounds(folder);
            end();
            checker.checkCounter(counter(folder));
            return done;
        } finally {
            workers.values().forEach(Process::destroyForcibly);
            delete(folder);
        }
    }

    private int rounds(Path folder) throws IOException, CheckFailedException, InterruptedException {
        for (int i = 0; i < options.processes(); i++) {
            start(folder);
        }
        int done = 0;
        while (done < options.rounds() && !stop.isRequested()) {
            // Sometimes without a pause, while new processes start just after the last takeover.
            if (done == 0 || ThreadLocalRandom.current().nextInt(ONE_OF_WITHOUT_PAUSE) != 0) {
                checker.awaitAll(workers.keySet());
                int load = ThreadLocalRandom.current().nextInt(MAX_LOAD_MILLIS);
                stop.pause(Duration.ofMillis(load));
            }
            killPrimary(folder, checker.awaitProgress());
            done++;
            log.print(
                    "round %d complete (progress after %s)"
                            .formatted(done, seconds(checker.progressMicros())));
        }
        return done;
    }

    private void killPrimary(Path folder, String primary)
            throws IOException, InterruptedException, CheckFailedException {
        var victims = new ArrayList<>(List.of(primary));
        if (ThreadLocalRandom.current().nextInt(ONE_OF_TWO_KILLS) == 0) {
            var others = new ArrayList<>(workers.keySet());
            others.remove(primary);
            victims.add(others.get(ThreadLocalRandom.current().nextInt(others.size())));
        }
        victims.forEach(checker::willKill);
        victims.forEach(name -> process(name).destroyForcibly());
        for (var name : victims) {
            process(name).waitFor();
            workers.remove(name);
            if (name.equals(primary)) {
                checker.primaryIsGone(PrimaryElectionWorker.nowMicros());
            }
            Files.deleteIfExists(folder.resolve(PrimaryElectionWorker.READS + name));
            Files.deleteIfExists(folder.resolve(PrimaryElectionWorker.WRITES + name));
        }
        checker.awaitProgress();
        for (int i = 0; i < victims.size(); i++) {
            start(folder);
        }
    }

    private Process process(String name) {
        return Objects.requireNonNull(workers.get(name));
    }

    /** Starts a worker with the class path of this process. */
    private void start(Path folder) throws IOException {
        var name = "worker" + ++lastName;
        var process =
                new ProcessBuilder(
                                JavaCommand.of(
                                        PrimaryElectionWorker.class, folder.toString(), name))
                        .redirectErrorStream(true)
                        .start();
        workers.put(name, process);
        readers.add(Thread.ofPlatform().daemon().start(() -> listen(name, process)));
    }

    private void listen(String name, Process process) {
        try (var out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (var line = out.readLine(); line != null; line = out.readLine()) {
                checker.add(name, PrimaryElectionLine.parse(line));
            }
        } catch (IOException e) {
            checker.add(name, new PrimaryElectionLine.Failed(FailureText.of(e)));
        }
    }

    /** Lets all workers exit by themselves, so that one primary after the other ends. */
    private void end() throws IOException, InterruptedException, CheckFailedException {
        checker.willEnd();
        for (var process : workers.values()) {
            process.getOutputStream().close();
        }
        for (var worker : workers.entrySet()) {
            if (!worker.getValue().waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new CheckFailedException(worker.getKey() + " does not exit");
            }
        }
        for (var reader : readers) {
            reader.join();
        }
    }

    private static long counter(Path folder) throws IOException {
        try {
            return Long.parseLong(Files.readString(folder.resolve(PrimaryElectionWorker.COUNTER)));
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (var file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.delete(folder);
    }

    private static String seconds(long micros) {
        return String.format(Locale.ROOT, "%.3fs", micros / 1e6);
    }
}
