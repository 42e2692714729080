package io.holdfast.driver;

import io.holdfast.engine.Ledger;

import java.util.concurrent.atomic.AtomicLong;

/** What the shards of a local driver share. Keys are reserved in one atomic step. */
final class LocalLedger implements Ledger {
    private final Fences fences;
    private final long maxKeys;
    private final Room room;
    private final AtomicLong keys = new AtomicLong();

    /**
     * @param maxKeys 0 is no limit
     * @param room memory for keys, holds and waits
     */
    LocalLedger(Fences fences, long maxKeys, Room room) {
        this.fences = fences;
        this.maxKeys = maxKeys;
        this.room = room;
    }

    @Override
    public long nextFence() {
        return fences.next();
    }

    @Override
    public boolean reserveKey() {
        if (!room.take()) {
            return false;
        }
        long taken = keys.get();
        while (maxKeys == 0 || taken < maxKeys) { // a refused one must never show in the count
            if (keys.compareAndSet(taken, taken + 1)) {
                return true;
            }
            taken = keys.get();
        }
        room.giveBack();
        return false;
    }

    @Override
    public void returnKey() {
        keys.decrementAndGet();
        room.giveBack();
    }

    @Override
    public boolean reserve() {
        return room.take();
    }

    @Override
    public void giveBack() {
        room.giveBack();
    }
}
