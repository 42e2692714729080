package io.holdfast.cli.soak;

import io.holdfast.lockfile.FileSemaphore;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;

/**
 * A holder is suspended for longer than the stale timeout, and another process takes over its lock.
 * When it is resumed, it must be notified of the loss at its next heartbeat or at its release, and
 * must leave the lock of its successor in place.
 */
record LockFileSleeper() implements LockFileScenario {
    private static final Duration STALE = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @Override
    public String name() {
        return "sleeper";
    }

    @Override
    public void run(LockFileStage stage)
            throws IOException, InterruptedException, CheckFailedException {
        try (var processes = new LockFileProcesses(stage.folder(), stage.random())) {
            var first = processes.startControlled(STALE);
            var second = processes.startControlled(STALE);
            for (var end : List.of("", "release", "close")) {
                if (!stage.stop().isRequested()) {
                    takeOver(processes, first, second, end);
                    stage.statistics().addTakeover();
                    stage.statistics().addLoss();
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
        acquire(processes, sleeper);
        String nonce;
        try (var stop = new LockFileStop()) {
            stop.stop(sleeper.process());
            nonce = acquire(processes, successor);
            if (!end.isEmpty()) {
                sleeper.send(end);
            }
        }
        processes.expect(sleeper, "lost", TIMEOUT);
        var holder = FileSemaphore.at(processes.lock()).status().holder();
        if (!holder.map(it -> nonce.equals(it.nonce())).orElse(false)) {
            throw new CheckFailedException("the lock of the successor was removed: " + holder);
        }
        successor.send("release");
        processes.expect(successor, "released ", TIMEOUT);
        if (Files.exists(processes.lock())) {
            throw new CheckFailedException("the lock file exists after the release");
        }
    }

    /** Acquires the lock and returns its nonce. */
    private static String acquire(LockFileProcesses processes, LockFileProcess process)
            throws InterruptedException, CheckFailedException {
        process.send("acquire " + TIMEOUT.toMillis());
        processes.expect(process, "waiting", TIMEOUT);
        return processes.expect(process, "won ", TIMEOUT).split(" ", -1)[1];
    }
}
