package io.holdfast.verification.soak;

import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.Holder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * All processes try at once to take over a stale lock, repeatedly: exactly one may acquire it.
 * Sometimes a process is killed meanwhile, or removes the lock instead.
 *
 * @param times the number of takeovers
 */
record LockFileTakeoverScenario(int times) implements LockFileScenario {
    /** Only a planted lock file becomes this old. */
    private static final Duration STALE = Duration.ofMinutes(10);

    private static final Duration AGE = Duration.ofHours(2);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int ONE_OF_KILLS = 20;
    private static final int ONE_OF_CLEAN = 8;
    private static final int LEAD_MICROS = 2500;
    private static final int KILL_MICROS = 12_000;

    @Override
    public String name() {
        return "takeover";
    }

    @Override
    public void run(LockFileScenarioContext context)
            throws IOException, InterruptedException, CheckFailedException {
        try (var processes = new LockFileProcesses(context.folder(), context.random())) {
            var run = new Run(context, processes, FileSemaphore.at(processes.lock()), endedPid());
            for (int i = 0; i < context.processes(); i++) {
                processes.startControlled(STALE);
            }
            run.warmUp();
            int firstKill = context.random().nextInt(ONE_OF_KILLS);
            for (int i = 0; i < times && !context.stop().isRequested(); i++) {
                run.once(i % ONE_OF_KILLS == firstKill);
            }
            processes.end();
        }
    }

    private static long endedPid() throws IOException, InterruptedException {
        var process = new ProcessBuilder("true").start();
        process.waitFor();
        return process.pid();
    }

    private record Run(
            LockFileScenarioContext context,
            LockFileProcesses processes,
            FileSemaphore semaphore,
            long endedPid) {
        /**
         * Lets every process acquire the lock once, so that the start of a JVM does not delay a
         * takeover.
         */
        void warmUp() throws InterruptedException, CheckFailedException {
            for (var process : processes.members()) {
                warmUp(process);
            }
        }

        private void warmUp(LockFileProcess process)
                throws InterruptedException, CheckFailedException {
            process.send("try 0");
            processes.expect(process, "won ", TIMEOUT);
            process.send("release");
            processes.expect(process, "released ", TIMEOUT);
        }

        void once(boolean kill) throws IOException, InterruptedException, CheckFailedException {
            var plant = plant();
            boolean clean = context.random().nextInt(ONE_OF_CLEAN) == 0;
            var controlled = new ArrayList<>(processes.members());
            Collections.shuffle(controlled, context.random());
            long at = PrimaryElectionWorker.nowMicros() + LEAD_MICROS;
            for (var process : controlled.subList(1, controlled.size())) {
                process.send("try " + at);
            }
            controlled.getFirst().send((clean ? "clean " : "try ") + at);
            var winners = new ArrayList<LockFileProcess>();
            if (kill) {
                var victim = controlled.removeLast();
                LockSupport.parkNanos(
                        TimeUnit.MICROSECONDS.toNanos(context.random().nextInt(KILL_MICROS)));
                processes.kill(victim);
                context.statistics().addKill();
                collect(controlled, winners);
                checkKilled(victim, winners, plant);
                warmUp(processes.startControlled(STALE));
            } else {
                collect(controlled, winners);
                check(winners, clean);
            }
        }

        /**
         * Creates a stale lock file: complete, or as a writer leaves it that dies before it has
         * written all.
         */
        private byte[] plant() throws IOException {
            long old = Instant.now().minus(AGE).getEpochSecond();
            var content =
                    switch (context.random().nextInt(4)) {
                        case 0 -> "";
                        case 1 -> "pid=" + endedPid + "\n";
                        default -> "pid=" + endedPid + "\ntimestamp=" + old + "\ntag=gone\n";
                    };
            var bytes = content.getBytes(StandardCharsets.US_ASCII);
            // Appears in one step with its final age: no process is active now, but a folder watch
            // may be.
            var helper = processes.lock().resolveSibling("plant");
            Files.write(helper, bytes);
            Files.setLastModifiedTime(helper, FileTime.from(Instant.now().minus(AGE)));
            Files.createLink(processes.lock(), helper);
            Files.delete(helper);
            return bytes;
        }

        private void collect(List<LockFileProcess> controlled, List<LockFileProcess> winners)
                throws InterruptedException, CheckFailedException {
            var nonce = "";
            for (var process : controlled) {
                var response = processes.response(process, TIMEOUT);
                if (response.startsWith("won ")) {
                    winners.add(process);
                    nonce = response.substring("won ".length());
                } else if (!response.equals("refused") && !response.startsWith("cleaned ")) {
                    throw new CheckFailedException(
                            process.name() + " responded \"" + response + "\"");
                }
            }
            if (winners.size() > 1) {
                throw new CheckFailedException(
                        "taken over by "
                                + winners.stream().map(LockFileProcess::name).toList()
                                + " at once");
            }
            if (!winners.isEmpty()) { // the other processes must not have changed the file since
                checkFile(winners.getFirst(), nonce);
            }
        }

        private void checkFile(LockFileProcess winner, String nonce) throws CheckFailedException {
            var holder = holder();
            if (!holder.map(it -> nonce.equals(it.nonce())).orElse(false)) {
                throw new CheckFailedException(
                        winner.name()
                                + " took over the lock, but its state is "
                                + semaphore.status());
            }
        }

        private Optional<Holder> holder() {
            return semaphore.status().holder();
        }

        private void check(List<LockFileProcess> winners, boolean cleaned)
                throws IOException, InterruptedException, CheckFailedException {
            if (!winners.isEmpty()) {
                release(winners.getFirst());
            } else if (!cleaned) {
                throw new CheckFailedException("no process has taken over " + semaphore.status());
            }
            checkFree();
        }

        private void release(LockFileProcess winner)
                throws InterruptedException, CheckFailedException {
            context.statistics().addTakeover();
            winner.send("release");
            processes.expect(winner, "released ", TIMEOUT);
        }

        private void checkFree() throws CheckFailedException {
            if (Files.exists(processes.lock())) {
                throw new CheckFailedException(
                        "the lock file exists after the release: " + semaphore.status());
            }
        }

        /**
         * The killed process may have acquired the lock, or have left the stale lock as it was or
         * no lock.
         */
        private void checkKilled(
                LockFileProcess victim, List<LockFileProcess> winners, byte[] plant)
                throws IOException, InterruptedException, CheckFailedException {
            boolean won = victim.responses().stream().anyMatch(it -> it.startsWith("won "));
            if (!winners.isEmpty()) {
                if (won) {
                    throw new CheckFailedException(
                            "taken over by "
                                    + victim.name()
                                    + " and "
                                    + winners.getFirst().name()
                                    + " at once");
                }
                release(winners.getFirst());
                checkFree();
                return;
            }
            var lock = processes.lock();
            if (Files.exists(lock)) {
                boolean itsOwn =
                        holder().map(it -> it.pid() == victim.process().pid()).orElse(false);
                if (!itsOwn && !Arrays.equals(Files.readAllBytes(lock), plant)) {
                    throw new CheckFailedException(
                            victim.name() + " was killed, and the lock is " + semaphore.status());
                }
                Files.delete(lock);
            }
        }
    }
}
