package io.holdfast.bench;

import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.Guard;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Acquires and releases a lock file. Each mode runs once for each line of standard input.
 *
 * <pre>
 * LockFileRoundTimer rounds PATH SECONDS   runs for SECONDS, and prints mean, 50th and 99th percentile and
 *                                      CPU time, in microseconds per round
 * LockFileRoundTimer hold PATH             acquires, prints "held"; at the next line releases, and
 *                                      prints the time before the release, in nanoseconds
 * LockFileRoundTimer wait PATH             waits for the lock, prints when it was acquired, and releases
 * </pre>
 *
 * The times of two processes can be compared where the monotonic clock is that of the machine, as
 * on Linux.
 */
public final class LockFileRoundTimer {
    private static final int MAX_ROUNDS = 1 << 22;

    private LockFileRoundTimer() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        FileSemaphore semaphore = FileSemaphore.at(Path.of(args[1]));
        switch (args[0]) {
            case "rounds" -> {
                long nanos = (long) (Double.parseDouble(args[2]) * 1e9);
                long[] times = new long[MAX_ROUNDS];
                while (readLine()) {
                    rounds(semaphore, nanos, times);
                }
            }
            case "hold" -> {
                while (readLine()) {
                    hold(semaphore);
                }
            }
            case "wait" -> {
                while (readLine()) {
                    try (Guard _ = semaphore.acquire()) {
                        System.out.println(System.nanoTime());
                    }
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static boolean readLine() throws IOException {
        return System.in.read() == '\n';
    }

    private static void rounds(FileSemaphore semaphore, long nanos, long[] times) {
        RoundTimes roundTimes =
                RoundTimes.take(nanos, times, () -> semaphore.tryAcquire().orElseThrow().close());
        System.out.printf(
                "%.1f %.1f %.1f %.1f%n",
                roundTimes.mean(), roundTimes.p50(), roundTimes.p99(), roundTimes.cpu());
    }

    private static void hold(FileSemaphore semaphore) throws IOException, InterruptedException {
        long releasing;
        try (Guard _ = semaphore.acquire()) {
            System.out.println("held");
            readLine();
            releasing = System.nanoTime();
        }
        System.out.println(releasing);
    }
}
