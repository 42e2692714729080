package io.holdfast.verification.soak;

import io.holdfast.lockfile.FileSemaphore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;

/**
 * A holder is suspended for longer than the stale timeout, and another process takes over its lock.
 * When it is resumed, it must be notified of the loss at its next heartbeat or at its release, and
 * must leave the lock of its successor in place.
 */
record SuspendedHolderScenario() implements LockFileScenario {
    private static final Duration STALE = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration TAKEOVER_TIMEOUT = Duration.ofSeconds(10);
    private static final int MAX_ATTEMPTS = 5;

    @Override
    public String name() {
        return "sleeper";
    }

    @Override
    public void run(LockFileScenarioContext context)
            throws IOException, InterruptedException, CheckFailedException {
        try (var processes = new LockFileProcesses(context.folder(), context.random())) {
            var first = processes.startControlled(STALE);
            var second = processes.startControlled(STALE);
            for (var end : List.of("", "release", "close")) {
                if (!context.stop().isRequested()) {
                    takeOver(processes, first, second, end);
                    context.statistics().addTakeover();
                    context.statistics().addLoss();
                }
            }
            processes.end();
        }
    }

    /**
     * One takeover. The loss is detected at a heartbeat, or by the first command after the resume.
     */
    private static void takeOver(
            LockFileProcesses processes,
            LockFileProcess sleeper,
            LockFileProcess successor,
            String end)
            throws IOException, InterruptedException, CheckFailedException {
        String nonce = null;
        for (int i = 1; nonce == null; i++) {
            if (i > MAX_ATTEMPTS) {
                throw new CheckFailedException("a stale lock was not taken over");
            }
            nonce = takeOverOnce(processes, sleeper, successor, end);
        }
        String taken = nonce;
        processes.expect(sleeper, "lost", TIMEOUT);
        var holder = FileSemaphore.at(processes.lock()).status().holder();
        if (!holder.map(it -> taken.equals(it.nonce())).orElse(false)) {
            throw new CheckFailedException("the lock of the successor was removed: " + holder);
        }
        successor.send("release");
        processes.expect(successor, "released ", TIMEOUT);
        if (Files.exists(processes.lock())) {
            throw new CheckFailedException("the lock file exists after the release");
        }
    }

    /**
     * Suspends the holder until its lock was taken over. Returns the nonce of the successor; null
     * if the holder was suspended inside a heartbeat, in which it has the sidecar, so that no
     * process can take over.
     */
    private static @Nullable String takeOverOnce(
            LockFileProcesses processes,
            LockFileProcess sleeper,
            LockFileProcess successor,
            String end)
            throws IOException, InterruptedException, CheckFailedException {
        acquire(processes, sleeper);
        try (var stop = new ProcessSuspension()) {
            stop.stop(sleeper.process());
            successor.send("acquire " + TAKEOVER_TIMEOUT.toMillis());
            processes.expect(successor, "waiting", TIMEOUT);
            var response = processes.expect(successor, "", TIMEOUT);
            if (response.startsWith("won ")) {
                if (!end.isEmpty()) {
                    sleeper.send(end);
                }
                return response.split(" ", -1)[1];
            }
            if (!response.equals("timeout")) {
                throw new CheckFailedException(successor.name() + " responded " + response);
            }
        }
        sleeper.send("release");
        processes.expect(sleeper, "released ", TIMEOUT);
        return null;
    }

    /** Acquires the lock and returns its nonce. */
    private static String acquire(LockFileProcesses processes, LockFileProcess process)
            throws InterruptedException, CheckFailedException {
        process.send("acquire " + TIMEOUT.toMillis());
        processes.expect(process, "waiting", TIMEOUT);
        return processes.expect(process, "won ", TIMEOUT).split(" ", -1)[1];
    }
}
