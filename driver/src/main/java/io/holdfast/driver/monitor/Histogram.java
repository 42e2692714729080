package io.holdfast.driver.monitor;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of durations. One thread at a time may record; any may read, possibly without the
 * latest records.
 */
public final class Histogram {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private static final long[] BOUNDS = {
        10 * MICRO,
        100 * MICRO,
        MILLI,
        2_500 * MICRO,
        5 * MILLI,
        10 * MILLI,
        25 * MILLI,
        50 * MILLI,
        100 * MILLI,
        250 * MILLI,
        500 * MILLI,
        SECOND,
        2_500 * MILLI,
        5 * SECOND,
        10 * SECOND,
        30 * SECOND,
        60 * SECOND,
        300 * SECOND,
        1_800 * SECOND,
        3_600 * SECOND
    };

    /** The count of each bucket, and last, the sum of the durations. */
    private final AtomicLongArray cells = new AtomicLongArray(BOUNDS.length + 2);

    /** The number of buckets; the last has no upper bound. */
    public static int buckets() {
        return BOUNDS.length + 1;
    }

    /** The inclusive upper bound of a bucket; {@link Long#MAX_VALUE} for the last. */
    public static long boundNanos(int bucket) {
        return bucket < BOUNDS.length ? BOUNDS[bucket] : Long.MAX_VALUE;
    }

    /** The bucket of a duration. */
    public static int bucketOf(long nanos) {
        int bucket = 0;
        while (bucket < BOUNDS.length && nanos > BOUNDS[bucket]) {
            bucket++;
        }
        return bucket;
    }

    void record(long nanos) {
        add(bucketOf(nanos), 1);
        add(BOUNDS.length + 1, nanos);
    }

    private void add(int cell, long amount) {
        cells.setOpaque(cell, cells.getPlain(cell) + amount);
    }

    /** The count of one bucket, not cumulative. */
    public long count(int bucket) {
        return cells.getOpaque(bucket);
    }

    public long sumNanos() {
        return cells.getOpaque(BOUNDS.length + 1);
    }

    /** Adds the counts of the buckets to {@code counts} and returns the sum of the durations. */
    public long addTo(long[] counts) {
        for (int bucket = 0; bucket < buckets(); bucket++) {
            counts[bucket] += count(bucket);
        }
        return sumNanos();
    }
}
