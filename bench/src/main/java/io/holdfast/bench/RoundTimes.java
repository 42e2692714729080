package io.holdfast.bench;

import java.util.Arrays;

/** The times of repeated rounds, in microseconds per round. */
record RoundTimes(double mean, double p50, double p99, double cpu) {
    /**
     * Runs rounds and measures them.
     *
     * @param nanos how long to run
     * @param times receives the time of each round; the run ends early when it is full
     */
    static RoundTimes take(long nanos, long[] times, Runnable round) {
        long cpu = cpuNanos();
        long start = System.nanoTime();
        long before = start;
        int rounds = 0;
        while (before - start < nanos && rounds < times.length) {
            round.run();
            long now = System.nanoTime();
            times[rounds++] = now - before;
            before = now;
        }
        cpu = cpuNanos() - cpu;
        Arrays.sort(times, 0, rounds);
        return new RoundTimes(
                (before - start) / 1e3 / rounds,
                times[rounds / 2] / 1e3,
                times[rounds - 1 - rounds / 100] / 1e3,
                cpu / 1e3 / rounds);
    }

    private static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }
}
