package io.holdfast.driver.signal;

import io.holdfast.driver.memory.MemoryBudget;

/** A memory budget that counts pieces of one size, with a limit set by the test. */
final class CountingPieceBudget implements MemoryBudget {
    private int taken;
    private int most = Integer.MAX_VALUE;
    private int refusals;

    @Override
    public synchronized boolean tryReserve(long bytes) {
        if (taken + pieces(bytes) > most) {
            refusals++;
            return false;
        }
        taken += pieces(bytes);
        return true;
    }

    @Override
    public void reserve(long bytes) {
        throw new IllegalStateException("no registration is made above the budget");
    }

    @Override
    public synchronized void release(long bytes) {
        taken -= pieces(bytes);
        if (taken < 0) {
            throw new IllegalStateException("released more than was reserved");
        }
    }

    private static int pieces(long bytes) {
        return (int) (bytes / SignalHub.TOKEN_BYTES);
    }

    /** The number of reserved pieces. */
    synchronized int taken() {
        return taken;
    }

    /** The number of refused reservations. */
    synchronized int refusals() {
        return refusals;
    }

    /** Sets how many more pieces can be reserved. */
    synchronized void leave(int pieces) {
        most = pieces > Integer.MAX_VALUE - taken ? Integer.MAX_VALUE : taken + pieces;
    }
}
