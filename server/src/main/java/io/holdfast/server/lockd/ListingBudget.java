package io.holdfast.server.lockd;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits the memory of listings that are being written. A listing that exceeds the limit waits
 * until others have ended; a single one is always admitted. A client may read a long listing slowly
 * as long as no other listing waits for memory.
 */
public final class ListingBudget {
    /** A listing that reserves memory. */
    interface Listing {
        /** Whether the client still waits for the response. */
        boolean isConnected();

        /** Ends the listing because it took too long, or waited too long for memory. */
        void abort();
    }

    private record Reservation(long bytes, long sinceNanos) {}

    private static final long CHECK_INTERVAL_MILLIS = 200;

    /** A listing may wait for memory this many times the timeout. */
    private static final int WAIT_FACTOR = 12;

    /** A listing of at most 1/16384 of the limit, such as that of one key, never waits. */
    private static final long SMALL_PART = 16384;

    private final long limit;
    private final long timeoutNanos;

    /** In order of their start. */
    @GuardedBy("this")
    private final Map<Listing, Reservation> running = new LinkedHashMap<>();

    @GuardedBy("this")
    private long used;

    /**
     * @param limit in bytes
     * @param timeout how long a listing may take while others wait for memory
     */
    public ListingBudget(long limit, Duration timeout) {
        this.limit = limit;
        this.timeoutNanos = timeout.toNanos();
    }

    /** Waits for memory; false if the client is gone or the listing was aborted. */
    synchronized boolean reserve(Listing listing, long bytes) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + WAIT_FACTOR * timeoutNanos;
        while (!fits(bytes)) {
            abortOldest();
            if (fits(bytes)) {
                break;
            }
            if (!listing.isConnected()) {
                return false;
            }
            if (System.nanoTime() - deadlineNanos > 0) {
                listing.abort();
                return false;
            }
            wait(CHECK_INTERVAL_MILLIS);
        }
        used += bytes;
        running.put(listing, new Reservation(bytes, System.nanoTime()));
        return true;
    }

    @GuardedBy("this")
    private boolean fits(long bytes) {
        return bytes <= limit / SMALL_PART || used == 0 || used + bytes <= limit;
    }

    @GuardedBy("this")
    private void abortOldest() {
        Map.Entry<Listing, Reservation> oldest = running.entrySet().iterator().next();
        if (System.nanoTime() - oldest.getValue().sinceNanos() > timeoutNanos) {
            oldest.getKey().abort();
        }
    }

    /** Releases the memory of a listing, if it has reserved any. */
    synchronized void release(Listing listing) {
        Reservation reservation = running.remove(listing);
        if (reservation != null) {
            used -= reservation.bytes();
            notifyAll();
        }
    }
}
