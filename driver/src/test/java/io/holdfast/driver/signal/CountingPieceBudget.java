package io.holdfast.driver.signal;

import io.holdfast.driver.FixedSizeMemoryBudget;

/** Memory that keeps count, and ends where a test says. */
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
            throw new IllegalStateException("gave back more than was taken");
        }
    }

    /** How many pieces are out. */
    synchronized int taken() {
        return taken;
    }

    /** How often there was none left. */
    synchronized int refusals() {
        return refusals;
    }

    /** Leaves room for so many pieces more. */
    synchronized void leave(int pieces) {
        most = pieces > Integer.MAX_VALUE - taken ? Integer.MAX_VALUE : taken + pieces;
    }
}
