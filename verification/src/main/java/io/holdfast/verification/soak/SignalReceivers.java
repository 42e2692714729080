package io.holdfast.verification.soak;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The listeners that share one copy of each signal: a single listener, or the members of a queue
 * group. Thread-safe.
 */
final class SignalReceivers {
    /**
     * The maximum number of lines in flight. A server may disconnect a listener that is 64 lines
     * behind.
     */
    private static final int MAX_IN_FLIGHT = 48;

    private static final long CHECK_INTERVAL_MILLIS = 20;

    private final DeliveryChecker deliveryChecker;
    private final Semaphore permits = new Semaphore(MAX_IN_FLIGHT);

    SignalReceivers(String name, int workers) {
        deliveryChecker = new DeliveryChecker(name, workers);
    }

    /**
     * Call it before lines are sent to these receivers. Returns false if the cycle ended before
     * enough permits were free.
     */
    boolean acquirePermits(int lines, SoakCycle soakCycle) throws InterruptedException {
        while (!permits.tryAcquire(lines, CHECK_INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
            if (soakCycle.ended()) {
                return false;
            }
        }
        return true;
    }

    /** Call it when a line has been received. */
    void releasePermit() {
        permits.release();
    }

    DeliveryChecker receipts() {
        return deliveryChecker;
    }
}
