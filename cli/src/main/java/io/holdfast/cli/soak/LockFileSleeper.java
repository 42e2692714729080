package io.holdfast.cli.soak;

import io.holdfast.lockfile.FileSemaphore;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;

/**
 * A holder is stopped for longer than the stale timeout and is robbed of the lock. It hears of it
 * when it goes on, at its next beat or when it releases, and the lock of its successor stays.
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
        try (var crew = new LockFileProcesses(stage.folder(), stage.random())) {
            var first = crew.startPuppet(STALE);
            var second = crew.startPuppet(STALE);
            for (var end : List.of("", "release", "close")) {
                if (!stage.stop().isRequested()) {
                    robbed(crew, first, second, end);
                    stage.statistics().addTakeover();
                    stage.statistics().addLoss();
                }
            }
            crew.end();
        }
    }

    /** Heard of at a beat, or at what is the first that it does when it goes on. */
    private static void robbed(
            LockFileProcesses crew, LockFileProcess sleeper, LockFileProcess successor, String end)
            throws IOException, InterruptedException, CheckFailedException {
        acquire(crew, sleeper);
        String nonce;
        try (var stop = new LockFileStop()) {
            stop.stop(sleeper.process());
            nonce = acquire(crew, successor);
            if (!end.isEmpty()) {
                sleeper.send(end);
            }
        }
        crew.expect(sleeper, "lost", TIMEOUT);
        var holder = FileSemaphore.at(crew.lock()).status().holder();
        if (!holder.map(it -> nonce.equals(it.nonce())).orElse(false)) {
            throw new CheckFailedException("the lock of the successor is gone: " + holder);
        }
        successor.send("release");
        crew.expect(successor, "released ", TIMEOUT);
        if (Files.exists(crew.lock())) {
            throw new CheckFailedException("released, and yet there is a lock");
        }
    }

    /** Gives the nonce. */
    private static String acquire(LockFileProcesses crew, LockFileProcess puppet)
            throws InterruptedException, CheckFailedException {
        puppet.send("acquire " + TIMEOUT.toMillis());
        crew.expect(puppet, "waiting", TIMEOUT);
        return crew.expect(puppet, "won ", TIMEOUT).split(" ", -1)[1];
    }
}
