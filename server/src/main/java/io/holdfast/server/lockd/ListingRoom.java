package io.holdfast.server.lockd;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Memory for listings that are being written. One that finds too little waits until others are
 * done; one alone always fits. A client that reads a long listing slowly may take its time as long
 * as nobody waits for it.
 */
public final class ListingRoom {
    /** Who takes room. */
    interface Listing {
        /** Whether anybody still waits for the answer. */
        boolean isWanted();

        /** Ends it, for it has had its time and others wait. */
        void cut();
    }

    private record Taken(long bytes, long sinceNanos) {}

    private static final long LOOK_MILLIS = 200;

    private final long most;
    private final long patienceNanos;

    /** In the order in which they began. */
    private final Map<Listing, Taken> running = new LinkedHashMap<>();

    private long used;

    /**
     * @param patience how long a listing may take while others wait for room
     */
    public ListingRoom(long most, Duration patience) {
        this.most = most;
        this.patienceNanos = patience.toNanos();
    }

    /** Waits for room; false if the answer is not wanted any more. */
    synchronized boolean take(Listing listing, long bytes) throws InterruptedException {
        while (used > 0 && used + bytes > most) {
            if (!listing.isWanted()) {
                return false;
            }
            cutOldest();
            wait(LOOK_MILLIS);
        }
        used += bytes;
        running.put(listing, new Taken(bytes, System.nanoTime()));
        return true;
    }

    private void cutOldest() {
        Map.Entry<Listing, Taken> oldest = running.entrySet().iterator().next();
        if (System.nanoTime() - oldest.getValue().sinceNanos() > patienceNanos) {
            oldest.getKey().cut();
        }
    }

    /** Gives back what a listing took, if it took anything. */
    synchronized void giveBack(Listing listing) {
        Taken taken = running.remove(listing);
        if (taken != null) {
            used -= taken.bytes();
            notifyAll();
        }
    }
}
