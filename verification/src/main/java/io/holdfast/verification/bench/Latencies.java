package io.holdfast.verification.bench;

import java.util.Arrays;

/** Statistics of a set of latencies. All results are in nanoseconds. */
final class Latencies {
    private final long[] sorted;
    private final double mean;
    private final double stdev;

    /** Takes ownership of the array and sorts it. */
    Latencies(long[] nanos) {
        if (nanos.length == 0) {
            throw new IllegalArgumentException("no latencies");
        }
        Arrays.sort(nanos);
        sorted = nanos;
        mean = mean(nanos);
        stdev = sampleDeviation(nanos, mean);
    }

    int count() {
        return sorted.length;
    }

    double mean() {
        return mean;
    }

    double min() {
        return sorted[0];
    }

    double max() {
        return sorted[sorted.length - 1];
    }

    /** Returns the sample standard deviation (n - 1); 0 for a single latency. */
    double stdev() {
        return stdev;
    }

    /** Interpolates linearly between the neighbours of rank {@code percent / 100 * (n - 1)}. */
    double percentile(double percent) {
        double rank = percent / 100 * (sorted.length - 1);
        int below = (int) Math.floor(rank);
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (rank - below) * (sorted[above] - sorted[below]);
    }

    private static double mean(long[] values) {
        double sum = 0;
        for (long value : values) {
            sum += value;
        }
        return sum / values.length;
    }

    private static double sampleDeviation(long[] values, double mean) {
        if (values.length < 2) {
            return 0;
        }
        double squares = 0;
        for (long value : values) {
            squares += (value - mean) * (value - mean);
        }
        return Math.sqrt(squares / (values.length - 1));
    }
}
