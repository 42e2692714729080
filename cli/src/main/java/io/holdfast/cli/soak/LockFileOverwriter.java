package io.holdfast.cli.soak;

import io.holdfast.cli.soak.LockFileProcess.Role;

import java.io.IOException;
import java.time.Duration;

/**
 * Processes of ours beside the script of the published protocol, which overwrites the lock whoever
 * holds it. They cannot be protected from it, but each of them that was displaced hears of it.
 */
record LockFileOverwriter(Duration time) implements LockFileScenario {
    private static final Duration STALE = Duration.ofSeconds(3);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofMillis(20);
    private static final int MIN_DISPLACED = 3;

    @Override
    public String name() {
        return "overwriter";
    }

    @Override
    public void run(LockFileStage stage)
            throws IOException, InterruptedException, CheckFailedException {
        var tally = new LockFileLogChecker();
        try (var crew = new LockFileProcesses(stage.folder(), stage.random());
                var log = new LockFileLog(crew.log())) {
            for (int i = 1; i < stage.processes(); i++) {
                crew.startOurs(LockFileWorker.Style.BESIDE_STRANGERS, STALE);
            }
            crew.startScript(Role.OVERWRITING);
            // Long stays see it at a beat, others when they release.
            crew.members().getFirst().send("long");
            long start = System.nanoTime();
            while (isToGoOn(stage, tally, System.nanoTime() - start)) {
                stage.stop().pause(MOMENT);
                log.read(tally::add);
                crew.check();
            }
            int displacedScripts = crew.endBesideStrangers();
            log.read(tally::add);
            tally.checkDisplacedKnow(displacedScripts);
        } finally {
            stage.statistics().addDisplaced(tally);
        }
    }

    private boolean isToGoOn(LockFileStage stage, LockFileLogChecker tally, long nanos)
            throws CheckFailedException {
        if (stage.stop().isRequested()) {
            return false;
        }
        boolean enough = tally.displaced() >= MIN_DISPLACED;
        if (!enough && nanos > time.plus(TIMEOUT).toNanos()) {
            throw new CheckFailedException(
                    "hardly anybody was displaced in " + tally.turns() + " turns");
        }
        return !enough || nanos < time.toNanos();
    }
}
