package io.holdfast.bench;

import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.Guard;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Takes and gives back a lock file. All modes do one thing for each line of standard input.
 *
 * <pre>
 * LockFileRounds rounds PATH SECONDS   runs so long, and prints mean, 50th and 99th percentile and
 *                                      CPU time, in microseconds per turn
 * LockFileRounds hold PATH             acquires, prints "held"; at the next line releases, and
 *                                      prints when it began to, in nanoseconds
 * LockFileRounds wait PATH             waits for the lock, prints when it had it, and releases
 * </pre>
 *
 * The nanoseconds of two processes can be compared where the clock is the machine's, as on Linux.
 */
public final class LockFileRounds {
    private static final int MAX_ROUNDS = 1 << 22;

    private LockFileRounds() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        FileSemaphore semaphore = FileSemaphore.at(Path.of(args[1]));
        switch (args[0]) {
            case "rounds" -> {
                long nanos = (long) (Double.parseDouble(args[2]) * 1e9);
                long[] took = new long[MAX_ROUNDS];
                while (told()) {
                    rounds(semaphore, nanos, took);
                }
            }
            case "hold" -> {
                while (told()) {
                    hold(semaphore);
                }
            }
            case "wait" -> {
                while (told()) {
                    try (Guard _ = semaphore.acquire()) {
                        System.out.println(System.nanoTime());
                    }
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static boolean told() throws IOException {
        return System.in.read() == '\n';
    }

    private static void rounds(FileSemaphore semaphore, long nanos, long[] took) {
        RoundTimes roundTimes =
                RoundTimes.take(nanos, took, () -> semaphore.tryAcquire().orElseThrow().close());
        System.out.printf(
                "%.1f %.1f %.1f %.1f%n",
                roundTimes.mean(), roundTimes.p50(), roundTimes.p99(), roundTimes.cpu());
    }

    private static void hold(FileSemaphore semaphore) throws IOException, InterruptedException {
        long began;
        try (Guard _ = semaphore.acquire()) {
            System.out.println("held");
            told();
            began = System.nanoTime();
        }
        System.out.println(began);
    }
}
