package io.holdfast.driver.signal;

import io.holdfast.driver.memory.FixedSizeMemoryBudget;

/** A memory budget that counts pieces, with a limit set by the test. */
final class CountingPieceBudget implements FixedSizeMemoryBudget {
    private int taken;
    private int most = Integer.MAX_VALUE;
    private int refusals;

    @Override
    public synchronized boolean tryReserve() {
        if (taken >= most) {
            refusals++;
            return false;
        }
        taken++;
        return true;
    }

    @Override
    public synchronized void release() {
        taken--;
        if (taken < 0) {
            throw new IllegalStateException("released more than was reserved");
        }
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
