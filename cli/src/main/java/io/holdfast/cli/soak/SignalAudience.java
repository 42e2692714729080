package io.holdfast.cli.soak;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Those who share one copy of each signal: a listener of its own, or the members of a group.
 * Thread-safe.
 */
final class SignalAudience {
    /** A server may cut off a listener that is 64 lines behind. This tool never asks for that. */
    private static final int MAX_UNDERWAY = 48;

    private static final long CHECK_INTERVAL_MILLIS = 20;

    private final DeliveryChecker deliveryChecker;
    private final Semaphore permits = new Semaphore(MAX_UNDERWAY);

    SignalAudience(String name, int workers) {
        deliveryChecker = new DeliveryChecker(name, workers);
    }

    /**
     * To be called before lines are sent this way. False if the cycle ended before there was room.
     */
    boolean acquirePermits(int lines, SoakCycle soakCycle) throws InterruptedException {
        while (!permits.tryAcquire(lines, CHECK_INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
            if (soakCycle.ended()) {
                return false;
            }
        }
        return true;
    }

    /** A line has arrived. */
    void releasePermit() {
        permits.release();
    }

    DeliveryChecker receipts() {
        return deliveryChecker;
    }
}
