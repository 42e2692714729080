package io.holdfast.verification.soak;

import io.holdfast.verification.soak.LockFileProcess.Role;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Processes that use the library and shell scripts that respect the lock acquire one lock in a
 * loop, and are killed and replaced, preferably while they hold it. Meanwhile a thread removes
 * files that are named like the temporary files of another program.
 *
 * @param time the minimum duration; continues until a holder has been killed and the lock recovered
 */
record LockFileKillScenario(Duration time) implements LockFileScenario {
    /**
     * The stale timeout: long enough that no holder loses the lock because the machine stalls for a
     * second or two. Age is counted in whole seconds, so a lock becomes stale up to a second later.
     */
    private static final Duration STALE = Duration.ofSeconds(3);

    private static final Duration RECOVERY = STALE.plusSeconds(10);
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final int MAX_PAUSE_MILLIS = 1500;
    private static final int ONE_OF_ANY = 3;
    private static final int ONE_OF_LONG = 8;
    private static final int ONE_OF_SCRIPTS = 3;

    private static final LockFileWorker.Style[] STYLES = {
        LockFileWorker.Style.WAIT, LockFileWorker.Style.TRY, LockFileWorker.Style.CLEAN
    };

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public void run(LockFileScenarioContext context)
            throws IOException, InterruptedException, CheckFailedException {
        var checker = new LockFileLogChecker();
        try (var processes = new LockFileProcesses(context.folder(), context.random());
                var log = new LockFileLog(processes.log());
                var _ = new Sweeper(processes.lock())) {
            new Run(context, processes, log, checker).run(time);
        } finally {
            context.statistics().addAlone(checker);
        }
    }

    private record Run(
            LockFileScenarioContext context,
            LockFileProcesses processes,
            LockFileLog log,
            LockFileLogChecker checker) {
        void run(Duration time) throws IOException, InterruptedException, CheckFailedException {
            for (int i = 0; i < context.processes(); i++) {
                start(i);
            }
            await(
                    () ->
                            checker.seen().stream()
                                    .anyMatch(it -> it.startsWith(LockFileLogChecker.OURS)),
                    START,
                    "no process has acquired the lock within " + START.toSeconds() + " s");
            long end = System.nanoTime() + time.toNanos();
            while ((System.nanoTime() < end || checker.killsInside() == 0)
                    && !context.stop().isRequested()) {
                pause(Duration.ofMillis(context.random().nextInt(MAX_PAUSE_MILLIS)));
                if (context.random().nextInt(ONE_OF_LONG) == 0) {
                    anyOfOurs().send("long");
                }
                kill();
            }
            processes.end();
            check();
        }

        private void start(int index) throws IOException {
            if (index % ONE_OF_SCRIPTS == ONE_OF_SCRIPTS - 1) {
                processes.startScript(Role.EXCLUSIVE);
            } else {
                startOurs();
            }
        }

        private void startOurs() throws IOException {
            processes.startOurs(STYLES[context.random().nextInt(STYLES.length)], STALE);
        }

        private LockFileProcess anyOfOurs() {
            var ours = processes.members().stream().filter(it -> it.role() == Role.OURS).toList();
            return ours.get(context.random().nextInt(ours.size()));
        }

        /** Chooses the process to kill: usually the one that holds the lock. */
        private LockFileProcess victim()
                throws IOException, InterruptedException, CheckFailedException {
            if (context.random().nextInt(ONE_OF_ANY) != 0) {
                await(() -> !checker.inside().isEmpty(), RECOVERY, "no process acquires the lock");
                if (!checker.inside().isEmpty()) {
                    return processes.member(checker.inside().iterator().next());
                }
            }
            var all = processes.members();
            return all.get(context.random().nextInt(all.size()));
        }

        private void kill() throws IOException, InterruptedException, CheckFailedException {
            int inside = checker.killsInside();
            LockFileProcess victim;
            try (var stop = new ProcessSuspension()) {
                victim = victim();
                stop.stop(victim.process());
                log.append(new LockFileLine.Killed(victim.name()));
                processes.kill(victim);
            }
            long killed = System.nanoTime();
            awaitKilled(victim);
            if (victim.role() == Role.OURS) {
                startOurs();
            } else {
                processes.startScript(victim.role());
            }
            long turns = checker.turns();
            // A process that was killed just before or after its turn may have left the lock held
            // too.
            await(
                    () -> checker.turns() > turns,
                    RECOVERY,
                    "no process has acquired the lock for "
                            + RECOVERY.toSeconds()
                            + " s after a kill");
            if (checker.killsInside() > inside && checker.turns() > turns) {
                long nanos = System.nanoTime() - killed;
                context.statistics().addRecovery(TimeUnit.NANOSECONDS.toMicros(nanos));
            }
        }

        /** Reads the log up to the record of the kill. */
        private void awaitKilled(LockFileProcess victim) throws IOException, CheckFailedException {
            int kills = checker.kills();
            check();
            if (checker.kills() != kills + 1) {
                throw new CheckFailedException("the kill of " + victim.name() + " is not logged");
            }
        }

        /** Waits for the condition. Returns early when a stop is requested. */
        private void await(BooleanSupplier condition, Duration timeout, String failure)
                throws IOException, InterruptedException, CheckFailedException {
            long end = System.nanoTime() + timeout.toNanos();
            check();
            while (!condition.getAsBoolean() && !context.stop().isRequested()) {
                if (System.nanoTime() > end) {
                    throw new CheckFailedException(failure);
                }
                context.stop().pause(MOMENT);
                check();
            }
        }

        private void pause(Duration time)
                throws IOException, InterruptedException, CheckFailedException {
            context.stop().pause(time);
            check();
        }

        private void check() throws IOException, CheckFailedException {
            log.read(checker::add);
            checker.checkAlone();
            processes.check();
        }
    }

    /** Deletes the files that {@code semats clean} deletes, in a loop, until it is closed. */
    private static final class Sweeper implements AutoCloseable {
        private static final int PAUSE_MICROS = 300;

        private final Path lock;
        private final Thread thread;
        private volatile boolean closed;

        Sweeper(Path lock) throws IOException {
            this.lock = lock;
            // If the sweeper does not run, this file is left over and fails the check.
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
                    // another process has removed the file
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
