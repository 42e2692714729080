package io.holdfast.http.web;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many requests each address may send: a bucket that starts full and fills again. Belongs to
 * the event loop.
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

    /** Those that were used last come last. */
    private final LinkedHashMap<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * A limit for each address.
     *
     * @param perSecond 0 for none
     * @param burst how much goes into a bucket; 0 for a second's worth
     */
    public RateLimit(int perSecond, int burst, LongSupplier clock) {
        this.perSecond = perSecond;
        this.burst = burst > 0 ? burst : perSecond;
        this.clock = clock;
    }

    /** Whether an address may send one more. */
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

    /** Drops what is long unused and, where there are too many, what is unused longest. */
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

    /** How many addresses are remembered. */
    int size() {
        return buckets.size();
    }
}
