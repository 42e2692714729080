package io.holdfast.cli.soak;

import java.util.Arrays;

/**
 * The latest item of each worker that has arrived at one place, where those of one worker must keep
 * their order. Thread-safe.
 */
final class Progress {
    private final String place;
    private final int[] latest;

    Progress(String place, int workers) {
        this.place = place;
        latest = new int[workers];
        Arrays.fill(latest, -1);
    }

    /** By worker. What is asked for from now on cannot be earlier than these. */
    synchronized int[] floor() {
        return latest.clone();
    }

    /** The item is there, whether or not it has been seen. */
    synchronized void reach(Item item) {
        latest[item.worker()] = Math.max(latest[item.worker()], item.number());
    }

    /** Fails unless the item is later than all that came before. */
    synchronized void advance(Item item) throws CheckFailedException {
        advance(item, latest);
    }

    /**
     * Fails unless the item is later than all that came before it was asked for.
     *
     * @param floor {@link #floor} before the request was sent
     */
    synchronized void advance(Item item, int[] floor) throws CheckFailedException {
        if (item.number() == floor[item.worker()]) {
            throw new CheckFailedException(place + ": " + item + " came twice");
        }
        advanceOrStay(item, floor);
    }

    /** As {@link #advance(Item, int[])}, but the latest may come again. */
    synchronized void advanceOrStay(Item item, int[] floor) throws CheckFailedException {
        int worker = item.worker();
        if (item.number() < floor[worker]) {
            throw new CheckFailedException(
                    place + ": " + item + " came after item " + floor[worker]);
        }
        reach(item);
    }
}
