package io.holdfast.server.lockd;

/**
 * Memory for listings that are being written. One that finds too little waits until others are
 * done; one alone always fits.
 */
public final class ListingRoom {
    private final long most;
    private long used;

    public ListingRoom(long most) {
        this.most = most;
    }

    synchronized void take(long bytes) throws InterruptedException {
        while (used > 0 && used + bytes > most) {
            wait();
        }
        used += bytes;
    }

    synchronized void giveBack(long bytes) {
        used -= bytes;
        notifyAll();
    }
}
