package io.holdfast.engine;

/** A ledger of plain numbers, which a test can set. */
final class PlainLedger implements Ledger {
    /** 0 is no limit. */
    long maxKeys;

    /** Whether memory is left. */
    boolean room = true;

    long keys;

    /** Holds and waits. */
    long pieces;

    long lastFence;

    @Override
    public long nextFence() {
        return ++lastFence;
    }

    @Override
    public boolean reserveKey() {
        if (!room || (maxKeys > 0 && keys >= maxKeys)) {
            return false;
        }
        keys++;
        return true;
    }

    @Override
    public void returnKey() {
        keys--;
    }

    @Override
    public boolean reserve() {
        if (room) {
            pieces++;
        }
        return room;
    }

    @Override
    public void giveBack() {
        pieces--;
    }
}
