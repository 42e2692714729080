package io.holdfast.verification.soak;

import java.io.IOException;
import java.time.Duration;

/**
 * Measures how soon a waiting process acquires the lock after its release in another process.
 *
 * @param times the number of releases
 */
record LockFileWakeUpScenario(int times) implements LockFileScenario {
    private static final Duration STALE = Duration.ofMinutes(10);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** The maximum time from a release to the acquisition by the waiter. */
    private static final Duration SLOWEST = Duration.ofSeconds(10);

    private static final int MIN_WAIT_MILLIS = 40;
    private static final int MAX_WAIT_MILLIS = 160;

    @Override
    public String name() {
        return "wake-up";
    }

    @Override
    public void run(LockFileScenarioContext context)
            throws IOException, InterruptedException, CheckFailedException {
        try (var processes = new LockFileProcesses(context.folder(), context.random())) {
            var holder = processes.startControlled(STALE);
            var waiter = processes.startControlled(STALE);
            acquire(processes, holder);
            processes.expect(holder, "won ", TIMEOUT);
            for (int i = 0; i < times && !context.stop().isRequested(); i++) {
                acquire(processes, waiter);
                context.stop()
                        .pause(
                                Duration.ofMillis(
                                        context.random()
                                                .nextInt(MIN_WAIT_MILLIS, MAX_WAIT_MILLIS)));
                holder.send("release");
                long released = number(processes.expect(holder, "released ", TIMEOUT), 1);
                long won = number(processes.expect(waiter, "won ", TIMEOUT), 2);
                if (won - released > SLOWEST.toNanos() / 1000) {
                    throw new CheckFailedException(
                            "a waiter acquired the lock "
                                    + (won - released)
                                    + " \u00b5s after its release");
                }
                if (i > 0) { // the first one loads classes
                    context.statistics().addWakeUp(won - released);
                }
                var next = holder;
                holder = waiter;
                waiter = next;
            }
            processes.end();
        }
    }

    private static void acquire(LockFileProcesses processes, LockFileProcess process)
            throws InterruptedException, CheckFailedException {
        process.send("acquire " + TIMEOUT.toMillis());
        processes.expect(process, "waiting", TIMEOUT);
    }

    private static long number(String response, int index) {
        return Long.parseLong(response.split(" ", -1)[index]);
    }
}
