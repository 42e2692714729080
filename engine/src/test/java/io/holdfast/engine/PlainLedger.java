package io.holdfast.engine;

/** A ledger of plain numbers, which a test can set. */
final class PlainLedger implements Ledger {
    /** 0 is no limit. */
    long maxKeys;

    boolean room = true;
    long keys;
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
    public boolean hasRoom() {
        return room;
    }
}
