package io.holdfast.cli.soak;

import io.holdfast.cli.soak.LockFileProcess.Role;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Processes of ours and scripts that play by the rules take one lock over and over, and are killed
 * and replaced, preferably inside. Meanwhile somebody removes what looks like the temporary files
 * of another program.
 *
 * @param time how long at least, until one was killed inside and the lock is recovered
 */
record LockFileHammer(Duration time) implements LockFileScenario {
    /**
     * Nobody may be robbed only because the machine stands still for a second, or for two. Age is
     * counted in whole seconds, so a lock is stale up to a second later than that.
     */
    private static final Duration STALE = Duration.ofSeconds(3);

    private static final Duration RECOVERY = STALE.plusSeconds(10);
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final int MAX_PAUSE_MILLIS = 1500;
    private static final int ONE_OF_ANYWHERE = 3;
    private static final int ONE_OF_LONG = 8;
    private static final int ONE_OF_SCRIPTS = 3;

    private static final LockFileWorker.Style[] STYLES = {
        LockFileWorker.Style.WAIT, LockFileWorker.Style.TRY, LockFileWorker.Style.CLEAN
    };

    @Override
    public String name() {
        return "hammer";
    }

    @Override
    public void run(LockFileStage stage)
            throws IOException, InterruptedException, CheckFailedException {
        var tally = new LockFileLogChecker();
        try (var crew = new LockFileProcesses(stage.folder(), stage.random());
                var log = new LockFileLog(crew.log());
                var _ = new Sweeper(crew.lock())) {
            new Run(stage, crew, log, tally).run(time);
        } finally {
            stage.statistics().addAlone(tally);
        }
    }

    private record Run(
            LockFileStage stage,
            LockFileProcesses crew,
            LockFileLog log,
            LockFileLogChecker tally) {
        void run(Duration time) throws IOException, InterruptedException, CheckFailedException {
            for (int i = 0; i < stage.processes(); i++) {
                start(i);
            }
            await(
                    () ->
                            tally.seen().stream()
                                    .anyMatch(it -> it.startsWith(LockFileLogChecker.OURS)),
                    START,
                    "nobody has had the lock in " + START.toSeconds() + " s");
            long end = System.nanoTime() + time.toNanos();
            while ((System.nanoTime() < end || tally.killsInside() == 0)
                    && !stage.stop().isRequested()) {
                pause(Duration.ofMillis(stage.random().nextInt(MAX_PAUSE_MILLIS)));
                if (stage.random().nextInt(ONE_OF_LONG) == 0) {
                    anyOfOurs().send("long");
                }
                kill();
            }
            crew.end();
            look();
        }

        private void start(int index) throws IOException {
            if (index % ONE_OF_SCRIPTS == ONE_OF_SCRIPTS - 1) {
                crew.startScript(Role.EXCLUSIVE);
            } else {
                startOurs();
            }
        }

        private void startOurs() throws IOException {
            crew.startOurs(STYLES[stage.random().nextInt(STYLES.length)], STALE);
        }

        private LockFileProcess anyOfOurs() {
            var ours = crew.members().stream().filter(it -> it.role() == Role.OURS).toList();
            return ours.get(stage.random().nextInt(ours.size()));
        }

        /** Whoever is inside, mostly. */
        private LockFileProcess victim()
                throws IOException, InterruptedException, CheckFailedException {
            if (stage.random().nextInt(ONE_OF_ANYWHERE) != 0) {
                await(() -> !tally.inside().isEmpty(), RECOVERY, "nobody enters");
                if (!tally.inside().isEmpty()) {
                    return crew.member(tally.inside().iterator().next());
                }
            }
            var all = crew.members();
            return all.get(stage.random().nextInt(all.size()));
        }

        private void kill() throws IOException, InterruptedException, CheckFailedException {
            int inside = tally.killsInside();
            LockFileProcess victim;
            try (var stop = new LockFileStop()) {
                victim = victim();
                stop.stop(victim.process());
                log.append(new LockFileLine.Killed(victim.name()));
                crew.kill(victim);
            }
            long killed = System.nanoTime();
            awaitKilled(victim);
            if (victim.role() == Role.OURS) {
                startOurs();
            } else {
                crew.startScript(victim.role());
            }
            long turns = tally.turns();
            // Also one that was killed just outside may have left the lock held.
            await(
                    () -> tally.turns() > turns,
                    RECOVERY,
                    "nobody has entered for " + RECOVERY.toSeconds() + " s after a kill");
            if (tally.killsInside() > inside && tally.turns() > turns) {
                long nanos = System.nanoTime() - killed;
                stage.statistics().addRecovery(TimeUnit.NANOSECONDS.toMicros(nanos));
            }
        }

        /** Turns up to the kill are read and done with. */
        private void awaitKilled(LockFileProcess victim) throws IOException, CheckFailedException {
            int kills = tally.kills();
            look();
            if (tally.kills() != kills + 1) {
                throw new CheckFailedException("the kill of " + victim.name() + " is not logged");
            }
        }

        /** A run that is to stop ends the wait too. */
        private void await(BooleanSupplier condition, Duration patience, String otherwise)
                throws IOException, InterruptedException, CheckFailedException {
            long end = System.nanoTime() + patience.toNanos();
            look();
            while (!condition.getAsBoolean() && !stage.stop().isRequested()) {
                if (System.nanoTime() > end) {
                    throw new CheckFailedException(otherwise);
                }
                stage.stop().pause(MOMENT);
                look();
            }
        }

        private void pause(Duration time)
                throws IOException, InterruptedException, CheckFailedException {
            stage.stop().pause(time);
            look();
        }

        private void look() throws IOException, CheckFailedException {
            log.read(tally::add);
            tally.checkAlone();
            crew.check();
        }
    }

    /** Deletes what {@code semats clean} does, over and over, until it is closed. */
    private static final class Sweeper implements AutoCloseable {
        private static final int PAUSE_MICROS = 300;

        private final Path lock;
        private final Thread thread;
        private volatile boolean closed;

        Sweeper(Path lock) throws IOException {
            this.lock = lock;
            // What is left behind is a fault: so it is seen that there was somebody at work.
            Files.createFile(lock.resolveSibling(lock.getFileName() + ".1.0123456789abcdef.tmp"));
            this.thread = Thread.ofPlatform().daemon().start(this::sweep);
        }

        private void sweep() {
            while (!closed) {
                try (var files =
                        Files.newDirectoryStream(lock.getParent(), lock.getFileName() + ".*.tmp")) {
                    for (var file : files) {
                        Files.deleteIfExists(file);
                    }
                } catch (IOException e) {
                    // Somebody else has removed it.
                }
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(PAUSE_MICROS));
            }
        }

        @Override
        public void close() {
            closed = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
