package io.holdfast.http.web;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits the request rate of each client address with a token bucket, which is full at first.
 * Belongs to the event loop.
 */
public final class RateLimit {
    private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int MAX_BUCKETS = 100_000;
    private static final double NANOS = 1e9;

    private static final class Bucket {
        double left;
        long usedNanos;
    }

    private final double perSecond;
    private final double burst;
    private final LongSupplier clock;

    /** In order of last use, the least recently used first. */
    private final LinkedHashMap<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param perSecond 0 = unlimited
     * @param burst capacity of a bucket; 0 for {@code perSecond}
     * @param clock in nanoseconds
     */
    public RateLimit(int perSecond, int burst, LongSupplier clock) {
        this.perSecond = perSecond;
        this.burst = burst > 0 ? burst : perSecond;
        this.clock = clock;
    }

    /** Takes a token; false if the bucket of the address is empty. */
    boolean tryAcquire(String address) {
        if (perSecond <= 0) {
            return true;
        }
        long now = clock.getAsLong();
        Bucket bucket = buckets.get(address);
        if (bucket == null) {
            forget(now);
            bucket = new Bucket();
            bucket.left = burst;
            buckets.put(address, bucket);
        } else {
            double more = (now - bucket.usedNanos) / NANOS * perSecond;
            bucket.left = Math.min(burst, bucket.left + more);
        }
        bucket.usedNanos = now;
        if (bucket.left < 1) {
            return false;
        }
        bucket.left--;
        return true;
    }

    /**
     * Removes buckets that have been unused for long and, beyond the maximum number, the least
     * recently used.
     */
    private void forget(long now) {
        Iterator<Map.Entry<String, Bucket>> oldest = buckets.entrySet().iterator();
        while (oldest.hasNext()) {
            boolean unused = now - oldest.next().getValue().usedNanos >= FORGET_NANOS;
            if (!unused && buckets.size() < MAX_BUCKETS) {
                return;
            }
            oldest.remove();
        }
    }

    /** The number of addresses that have a bucket. */
    int size() {
        return buckets.size();
    }
}
