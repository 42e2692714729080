package io.holdfast.bench;

import java.util.Arrays;

/** How long turns of something took, in microseconds. */
record RoundTimes(double mean, double p50, double p99, double cpu) {
    /**
     * Takes turns for so long.
     *
     * @param took room for the time of each; ends when it is full
     */
    static RoundTimes take(long nanos, long[] took, Runnable turn) {
        long cpu = cpuNanos();
        long start = System.nanoTime();
        long before = start;
        int turns = 0;
        while (before - start < nanos && turns < took.length) {
            turn.run();
            long now = System.nanoTime();
            took[turns++] = now - before;
            before = now;
        }
        cpu = cpuNanos() - cpu;
        Arrays.sort(took, 0, turns);
        return new RoundTimes(
                (before - start) / 1e3 / turns,
                took[turns / 2] / 1e3,
                took[turns - 1 - turns / 100] / 1e3,
                cpu / 1e3 / turns);
    }

    private static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }
}
