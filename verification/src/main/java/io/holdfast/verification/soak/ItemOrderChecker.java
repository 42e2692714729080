package io.holdfast.verification.soak;

import java.util.Arrays;

/**
 * Tracks the latest item of each worker that was received at one place, where the items of one
 * worker must keep their order. Thread-safe.
 */
final class ItemOrderChecker {
    private final String place;
    private final int[] latest;

    ItemOrderChecker(String place, int workers) {
        this.place = place;
        latest = new int[workers];
        Arrays.fill(latest, -1);
    }

    /** The latest item number by worker. No request sent from now on may return an earlier one. */
    synchronized int[] floor() {
        return latest.clone();
    }

    /** Records that the item exists, whether or not it has been read. */
    synchronized void reach(NumberedPayload numberedPayload) {
        latest[numberedPayload.worker()] =
                Math.max(latest[numberedPayload.worker()], numberedPayload.number());
    }

    /** Fails unless the item is later than all earlier ones of its worker. */
    synchronized void advance(NumberedPayload numberedPayload) throws CheckFailedException {
        advance(numberedPayload, latest);
    }

    /**
     * Fails unless the item is later than all items of its worker that were received before it was
     * requested.
     *
     * @param floor {@link #floor} before the request was sent
     */
    synchronized void advance(NumberedPayload numberedPayload, int[] floor)
            throws CheckFailedException {
        if (numberedPayload.number() == floor[numberedPayload.worker()]) {
            throw new CheckFailedException(place + ": " + numberedPayload + " came twice");
        }
        advanceOrStay(numberedPayload, floor);
    }

    /** As {@link #advance(NumberedPayload, int[])}, but the latest item may be received again. */
    synchronized void advanceOrStay(NumberedPayload numberedPayload, int[] floor)
            throws CheckFailedException {
        int worker = numberedPayload.worker();
        if (numberedPayload.number() < floor[worker]) {
            throw new CheckFailedException(
                    place + ": " + numberedPayload + " came after item " + floor[worker]);
        }
        reach(numberedPayload);
    }
}
