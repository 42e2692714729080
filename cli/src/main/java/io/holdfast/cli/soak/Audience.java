package io.holdfast.cli.soak;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Those who share one copy of each signal: a listener of its own, or the members of a group.
 * Thread-safe.
 */
final class Audience {
    /** A server may cut off a listener that is 64 lines behind. This tool never asks for that. */
    private static final int MOST_UNDERWAY = 48;

    private static final long LOOK_AGAIN_MILLIS = 20;

    private final Receipts receipts;
    private final Semaphore room = new Semaphore(MOST_UNDERWAY);

    Audience(String name, int workers) {
        receipts = new Receipts(name, workers);
    }

    /**
     * To be called before lines are sent this way. False if the cycle ended before there was room.
     */
    boolean takeRoom(int lines, Cycle cycle) throws InterruptedException {
        while (!room.tryAcquire(lines, LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS)) {
            if (cycle.ended()) {
                return false;
            }
        }
        return true;
    }

    /** A line has arrived. */
    void giveRoom() {
        room.release();
    }

    Receipts receipts() {
        return receipts;
    }
}
