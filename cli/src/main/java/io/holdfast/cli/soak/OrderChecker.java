package io.holdfast.cli.soak;

import java.util.Arrays;

/**
 * The latest item of each worker that has arrived at one place, where those of one worker must keep
 * their order. Thread-safe.
 */
final class OrderChecker {
    private final String place;
    private final int[] latest;

    OrderChecker(String place, int workers) {
        this.place = place;
        latest = new int[workers];
        Arrays.fill(latest, -1);
    }

    /** By worker. What is asked for from now on cannot be earlier than these. */
    synchronized int[] floor() {
        return latest.clone();
    }

    /** The item is there, whether or not it has been seen. */
    synchronized void reach(SoakItem soakItem) {
        latest[soakItem.worker()] = Math.max(latest[soakItem.worker()], soakItem.number());
    }

    /** Fails unless the item is later than all that came before. */
    synchronized void advance(SoakItem soakItem) throws CheckFailedException {
        advance(soakItem, latest);
    }

    /**
     * Fails unless the item is later than all that came before it was asked for.
     *
     * @param floor {@link #floor} before the request was sent
     */
    synchronized void advance(SoakItem soakItem, int[] floor) throws CheckFailedException {
        if (soakItem.number() == floor[soakItem.worker()]) {
            throw new CheckFailedException(place + ": " + soakItem + " came twice");
        }
        advanceOrStay(soakItem, floor);
    }

    /** As {@link #advance(Item, int[])}, but the latest may come again. */
    synchronized void advanceOrStay(SoakItem soakItem, int[] floor) throws CheckFailedException {
        int worker = soakItem.worker();
        if (soakItem.number() < floor[worker]) {
            throw new CheckFailedException(
                    place + ": " + soakItem + " came after item " + floor[worker]);
        }
        reach(soakItem);
    }
}
