package io.holdfast.verification.soak;

import io.holdfast.verification.soak.LockFileProcess.Role;

import java.io.IOException;
import java.time.Duration;

/**
 * Library processes share the lock with the script of the published protocol, which overwrites the
 * lock file even while it is held. They cannot be protected from it, but each of them that was
 * displaced must be notified of the loss.
 */
record LockFileOverwriteScenario(Duration time) implements LockFileScenario {
    private static final Duration STALE = Duration.ofSeconds(3);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofMillis(20);
    private static final int MIN_DISPLACED = 3;

    @Override
    public String name() {
        return "overwrite";
    }

    @Override
    public void run(LockFileScenarioContext context)
            throws IOException, InterruptedException, CheckFailedException {
        var checker = new LockFileLogChecker();
        try (var processes = new LockFileProcesses(context.folder(), context.random());
                var log = new LockFileLog(processes.log())) {
            for (int i = 1; i < context.processes(); i++) {
                processes.startOurs(LockFileWorker.Style.WITH_OVERWRITER, STALE);
            }
            processes.startScript(Role.OVERWRITING);
            // A long hold detects the loss at a heartbeat, others at the release.
            processes.members().getFirst().send("long");
            long start = System.nanoTime();
            while (continues(context, checker, System.nanoTime() - start)) {
                context.stop().pause(MOMENT);
                log.read(checker::add);
                processes.check();
            }
            int displacedScripts = processes.endWithOverwriter();
            log.read(checker::add);
            checker.checkLossesReported(displacedScripts);
        } finally {
            context.statistics().addDisplaced(checker);
        }
    }

    private boolean continues(
            LockFileScenarioContext context, LockFileLogChecker checker, long nanos)
            throws CheckFailedException {
        if (context.stop().isRequested()) {
            return false;
        }
        boolean enough = checker.displaced() >= MIN_DISPLACED;
        if (!enough && nanos > time.plus(TIMEOUT).toNanos()) {
            throw new CheckFailedException(
                    "too few displaced holders in "
                            + checker.turns()
                            + " turns: the scenario tested nothing");
        }
        return !enough || nanos < time.toNanos();
    }
}
