package io.holdfast.server.lockd;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Memory for listings that are being written. One that finds too little waits until others are
 * done; one alone always fits. A client that reads a long listing slowly may take its time as long
 * as nobody waits for it.
 */
public final class ListingBudget {
    /** Who takes room. */
    interface Listing {
        /** Whether anybody still waits for the answer. */
        boolean isWanted();

        /** Ends it, for it has had its time, or waited too long. */
        void abort();
    }

    private record Taken(long bytes, long sinceNanos) {}

    private static final long CHECK_INTERVAL_MILLIS = 200;

    /** How many times as long as a listing may take, one may wait for it to begin. */
    private static final int WAITS = 12;

    /** A listing that takes less than this part of all, such as that of one name, never waits. */
    private static final long SMALL_PART = 16384;

    private final long limit;
    private final long timeoutNanos;

    /** In the order in which they began. */
    private final Map<Listing, Taken> running = new LinkedHashMap<>();

    private long used;

    /**
     * @param patience how long a listing may take while others wait for room
     */
    public ListingBudget(long most, Duration patience) {
        this.limit = most;
        this.timeoutNanos = patience.toNanos();
    }

    /** Waits for room; false if the answer is not wanted any more. */
    synchronized boolean reserve(Listing listing, long bytes) throws InterruptedException {
        long giveUpNanos = System.nanoTime() + WAITS * timeoutNanos;
        while (!fits(bytes)) {
            abortOldest();
            if (fits(bytes)) {
                break;
            }
            if (!listing.isWanted()) {
                return false;
            }
            if (System.nanoTime() - giveUpNanos > 0) {
                listing.abort();
                return false;
            }
            wait(CHECK_INTERVAL_MILLIS);
        }
        used += bytes;
        running.put(listing, new Taken(bytes, System.nanoTime()));
        return true;
    }

    private boolean fits(long bytes) {
        return bytes <= limit / SMALL_PART || used == 0 || used + bytes <= limit;
    }

    private void abortOldest() {
        Map.Entry<Listing, Taken> oldest = running.entrySet().iterator().next();
        if (System.nanoTime() - oldest.getValue().sinceNanos() > timeoutNanos) {
            oldest.getKey().abort();
        }
    }

    /** Gives back what a listing took, if it took anything. */
    synchronized void release(Listing listing) {
        Taken taken = running.remove(listing);
        if (taken != null) {
            used -= taken.bytes();
            notifyAll();
        }
    }
}
