package io.holdfast.driver.monitor;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How often spans of which length came. One thread at a time may record; any may read, and sees
 * what was recorded a moment ago.
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

    /** How many there were up to each bound and not to the one before, and last, the sum. */
    private final AtomicLongArray cells = new AtomicLongArray(BOUNDS.length + 2);

    /** How many buckets there are; the last has no bound. */
    public static int buckets() {
        return BOUNDS.length + 1;
    }

    /** Spans in a bucket are at most this long; {@link Long#MAX_VALUE} for the last. */
    public static long boundNanos(int bucket) {
        return bucket < BOUNDS.length ? BOUNDS[bucket] : Long.MAX_VALUE;
    }

    /** The bucket of a span. */
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

    /** How many spans are in a bucket, and not in one before it. */
    public long count(int bucket) {
        return cells.getOpaque(bucket);
    }

    public long sumNanos() {
        return cells.getOpaque(BOUNDS.length + 1);
    }

    /** Adds what this one has to the buckets of a sum, and returns the sum of the spans. */
    public long addTo(long[] counts) {
        for (int bucket = 0; bucket < buckets(); bucket++) {
            counts[bucket] += count(bucket);
        }
        return sumNanos();
    }
}
