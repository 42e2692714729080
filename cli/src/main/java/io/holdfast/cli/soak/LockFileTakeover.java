package io.holdfast.cli.soak;

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
 * All try at once to take over a stale lock, again and again: one of them gets it. Now and then one
 * is killed meanwhile, or removes the lock instead.
 *
 * @param times how often
 */
record LockFileTakeover(int times) implements LockFileScenario {
    /** Nothing but what is planted gets so old. */
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
    public void run(LockFileStage stage)
            throws IOException, InterruptedException, CheckFailedException {
        try (var crew = new LockFileProcesses(stage.folder(), stage.random())) {
            var run = new Run(stage, crew, FileSemaphore.at(crew.lock()), endedPid());
            for (int i = 0; i < stage.processes(); i++) {
                crew.startPuppet(STALE);
            }
            run.warmUp();
            int firstKill = stage.random().nextInt(ONE_OF_KILLS);
            for (int i = 0; i < times && !stage.stop().isRequested(); i++) {
                run.once(i % ONE_OF_KILLS == firstKill);
            }
            crew.end();
        }
    }

    private static long endedPid() throws IOException, InterruptedException {
        var process = new ProcessBuilder("true").start();
        process.waitFor();
        return process.pid();
    }

    private record Run(
            LockFileStage stage, LockFileProcesses crew, FileSemaphore semaphore, long endedPid) {
        /** Everybody has had the lock once, so that no start of a JVM comes between. */
        void warmUp() throws InterruptedException, CheckFailedException {
            for (var puppet : crew.members()) {
                warmUp(puppet);
            }
        }

        private void warmUp(LockFileProcess puppet)
                throws InterruptedException, CheckFailedException {
            puppet.send("try 0");
            crew.expect(puppet, "won ", TIMEOUT);
            puppet.send("release");
            crew.expect(puppet, "released ", TIMEOUT);
        }

        void once(boolean kill) throws IOException, InterruptedException, CheckFailedException {
            var plant = plant();
            boolean clean = stage.random().nextInt(ONE_OF_CLEAN) == 0;
            var puppets = new ArrayList<>(crew.members());
            Collections.shuffle(puppets, stage.random());
            long at = ElectionWorker.nowMicros() + LEAD_MICROS;
            for (var puppet : puppets.subList(1, puppets.size())) {
                puppet.send("try " + at);
            }
            puppets.getFirst().send((clean ? "clean " : "try ") + at);
            var winners = new ArrayList<LockFileProcess>();
            if (kill) {
                var victim = puppets.removeLast();
                LockSupport.parkNanos(
                        TimeUnit.MICROSECONDS.toNanos(stage.random().nextInt(KILL_MICROS)));
                crew.kill(victim);
                stage.statistics().addKill();
                collect(puppets, winners);
                checkKilled(victim, winners, plant);
                warmUp(crew.startPuppet(STALE));
            } else {
                collect(puppets, winners);
                check(winners, clean);
            }
        }

        /** In the words of the protocol, or what a writer left that died before it had written. */
        private byte[] plant() throws IOException {
            long old = Instant.now().minus(AGE).getEpochSecond();
            var content =
                    switch (stage.random().nextInt(4)) {
                        case 0 -> "";
                        case 1 -> "pid=" + endedPid + "\n";
                        default -> "pid=" + endedPid + "\ntimestamp=" + old + "\ntag=gone\n";
                    };
            var bytes = content.getBytes(StandardCharsets.US_ASCII);
            // In one step, as old as it is to be: nobody is at work now, but a folder watch may be.
            var helper = crew.lock().resolveSibling("plant");
            Files.write(helper, bytes);
            Files.setLastModifiedTime(helper, FileTime.from(Instant.now().minus(AGE)));
            Files.createLink(crew.lock(), helper);
            Files.delete(helper);
            return bytes;
        }

        private void collect(List<LockFileProcess> puppets, List<LockFileProcess> winners)
                throws InterruptedException, CheckFailedException {
            var nonce = "";
            for (var puppet : puppets) {
                var answer = crew.answer(puppet, TIMEOUT);
                if (answer.startsWith("won ")) {
                    winners.add(puppet);
                    nonce = answer.substring("won ".length());
                } else if (!answer.equals("refused") && !answer.startsWith("cleaned ")) {
                    throw new CheckFailedException(puppet.name() + " says \"" + answer + "\"");
                }
            }
            if (winners.size() > 1) {
                throw new CheckFailedException(
                        "taken over by "
                                + winners.stream().map(LockFileProcess::name).toList()
                                + " at once");
            }
            if (!winners.isEmpty()) { // whatever the others have done since
                checkFile(winners.getFirst(), nonce);
            }
        }

        private void checkFile(LockFileProcess winner, String nonce) throws CheckFailedException {
            var holder = holder();
            if (!holder.map(it -> nonce.equals(it.nonce())).orElse(false)) {
                throw new CheckFailedException(
                        winner.name() + " has taken over, but the lock is " + semaphore.status());
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
                throw new CheckFailedException("nobody has taken over " + semaphore.status());
            }
            checkFree();
        }

        private void release(LockFileProcess winner)
                throws InterruptedException, CheckFailedException {
            stage.statistics().addTakeover();
            winner.send("release");
            crew.expect(winner, "released ", TIMEOUT);
        }

        private void checkFree() throws CheckFailedException {
            if (Files.exists(crew.lock())) {
                throw new CheckFailedException("released, and yet " + semaphore.status());
            }
        }

        /** It may have got the lock, or have left the stale one as it was, or none at all. */
        private void checkKilled(
                LockFileProcess victim, List<LockFileProcess> winners, byte[] plant)
                throws IOException, InterruptedException, CheckFailedException {
            boolean won = victim.answers().stream().anyMatch(it -> it.startsWith("won "));
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
            var lock = crew.lock();
            if (Files.exists(lock)) {
                boolean itsOwn =
                        holder().map(it -> it.pid() == victim.process().pid()).orElse(false);
                if (!itsOwn && !Arrays.equals(Files.readAllBytes(lock), plant)) {
                    throw new CheckFailedException(
                            victim.name() + " was killed, and now it is " + semaphore.status());
                }
                Files.delete(lock);
            }
        }
    }
}
