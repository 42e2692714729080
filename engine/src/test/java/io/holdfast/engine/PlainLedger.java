package io.holdfast.engine;

/** A ledger of plain numbers, which a test can set. */
final class PlainLedger implements Ledger {
    /** 0 is no limit. */
    long maxKeys;

    /** Whether memory is left. */
    boolean room = true;

    long keys;

    /** 0 is no limit. */
    long maxClaims;

    /** Names that are only claimed. */
    long claims;

    /** 0 is no limit. */
    long maxEntries;

    /** Counters, values and lists. */
    long entries;

    /** Holds, waits, values and items. */
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
    public boolean reserveClaim() {
        if (!room || (maxClaims > 0 && claims >= maxClaims)) {
            return false;
        }
        claims++;
        return true;
    }

    @Override
    public void returnClaim() {
        claims--;
    }

    @Override
    public boolean reserveEntry() {
        if (!room || (maxEntries > 0 && entries >= maxEntries)) {
            return false;
        }
        entries++;
        return true;
    }

    @Override
    public void returnEntry() {
        entries--;
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
