package io.holdfast.http.metrics;

import io.holdfast.driver.monitor.Histogram;

import java.util.stream.Stream;

/** A snapshot of a histogram of durations. */
final class DurationHistogram {
    /** The number of durations in each bucket of {@link Histogram}. */
    private final long[] counts;

    private final long sumNanos;

    private DurationHistogram(long[] counts, long sumNanos) {
        this.counts = counts;
        this.sumNanos = sumNanos;
    }

    static DurationHistogram of(Stream<Histogram> parts) {
        long[] counts = new long[Histogram.buckets()];
        long sumNanos = parts.mapToLong(part -> part.addTo(counts)).sum();
        return new DurationHistogram(counts, sumNanos);
    }

    static DurationHistogram of(RunningWaits waits) {
        long[] counts = new long[Histogram.buckets()];
        waits.nanos().forEach(nanos -> counts[Histogram.bucketOf(nanos)]++);
        return new DurationHistogram(counts, waits.nanos().sum());
    }

    DurationHistogram plus(DurationHistogram other) {
        long[] sum = counts.clone();
        for (int i = 0; i < sum.length; i++) {
            sum[i] += other.counts[i];
        }
        return new DurationHistogram(sum, sumNanos + other.sumNanos);
    }

    DurationHistogram minus(DurationHistogram before) {
        long[] difference = counts.clone();
        for (int i = 0; i < difference.length; i++) {
            difference[i] -= before.counts[i];
        }
        return new DurationHistogram(difference, sumNanos - before.sumNanos);
    }

    long count(int bucket) {
        return counts[bucket];
    }

    long sumNanos() {
        return sumNanos;
    }

    long total() {
        return totalFrom(0);
    }

    /** The number of durations in a bucket and in those of longer durations. */
    long totalFrom(int bucket) {
        long total = 0;
        for (int i = bucket; i < counts.length; i++) {
            total += counts[i];
        }
        return total;
    }

    /**
     * A percentile of the durations in milliseconds, interpolated linearly in its bucket; NaN if
     * there are no durations.
     */
    double percentileMillis(int percent) {
        long total = total();
        if (total == 0) {
            return Double.NaN;
        }
        double rank = total * (percent / 100.0);
        long before = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            if (counts[bucket] > 0 && before + counts[bucket] >= rank) {
                return millis(bucket, (rank - before) / counts[bucket]);
            }
            before += counts[bucket];
        }
        throw new IllegalStateException("the rank is beyond the total");
    }

    private static double millis(int bucket, double part) {
        double lower = bucket == 0 ? 0 : Histogram.boundNanos(bucket - 1);
        boolean last = bucket == Histogram.buckets() - 1;
        double upper = last ? lower : Histogram.boundNanos(bucket);
        return (lower + (upper - lower) * part) / 1e6;
    }
}
