package io.holdfast.cli.soak;

import java.io.IOException;
import java.time.Duration;

/**
 * How soon one that waits has the lock after its release in another process.
 *
 * @param times how often
 */
record LockFileWakeUp(int times) implements LockFileScenario {
    private static final Duration STALE = Duration.ofMinutes(10);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** Whoever does not look for so long is not waiting for the lock but asleep. */
    private static final Duration SLOWEST = Duration.ofSeconds(10);

    private static final int MIN_WAIT_MILLIS = 40;
    private static final int MAX_WAIT_MILLIS = 160;

    @Override
    public String name() {
        return "wake-up";
    }

    @Override
    public void run(LockFileStage stage)
            throws IOException, InterruptedException, CheckFailedException {
        try (var crew = new LockFileProcesses(stage.folder(), stage.random())) {
            var holder = crew.startPuppet(STALE);
            var waiter = crew.startPuppet(STALE);
            acquire(crew, holder);
            crew.expect(holder, "won ", TIMEOUT);
            for (int i = 0; i < times && !stage.stop().isRequested(); i++) {
                acquire(crew, waiter);
                stage.stop()
                        .pause(
                                Duration.ofMillis(
                                        stage.random().nextInt(MIN_WAIT_MILLIS, MAX_WAIT_MILLIS)));
                holder.send("release");
                long released = number(crew.expect(holder, "released ", TIMEOUT), 1);
                long won = number(crew.expect(waiter, "won ", TIMEOUT), 2);
                if (won - released > SLOWEST.toNanos() / 1000) {
                    throw new CheckFailedException(
                            "a waiter has the lock "
                                    + (won - released)
                                    + " \u00b5s after its release");
                }
                if (i > 0) { // the first one loads classes
                    stage.statistics().addWakeUp(won - released);
                }
                var next = holder;
                holder = waiter;
                waiter = next;
            }
            crew.end();
        }
    }

    private static void acquire(LockFileProcesses crew, LockFileProcess puppet)
            throws InterruptedException, CheckFailedException {
        puppet.send("acquire " + TIMEOUT.toMillis());
        crew.expect(puppet, "waiting", TIMEOUT);
    }

    private static long number(String answer, int index) {
        return Long.parseLong(answer.split(" ", -1)[index]);
    }
}
