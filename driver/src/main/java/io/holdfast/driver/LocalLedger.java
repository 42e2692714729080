package io.holdfast.driver;

import io.holdfast.engine.Ledger;

import java.util.concurrent.atomic.AtomicLong;

/** What the shards of a local driver share. Keys are reserved in one atomic step. */
final class LocalLedger implements Ledger {
    private final Fences fences;
    private final Room room;
    private final Quota keys;
    private final Quota claims;
    private final Quota entries;

    /**
     * @param room memory for keys, holds, waits and data
     */
    LocalLedger(Fences fences, Caps caps, Room room) {
        this.fences = fences;
        this.room = room;
        this.keys = new Quota(caps.keys());
        this.entries = new Quota(caps.entries());
        this.claims = new Quota(caps.claims());
    }

    @Override
    public long nextFence() {
        return fences.next();
    }

    @Override
    public boolean reserveKey() {
        return reserve(keys);
    }

    @Override
    public void returnKey() {
        giveBack(keys);
    }

    @Override
    public boolean reserveClaim() {
        return reserve(claims);
    }

    @Override
    public void returnClaim() {
        giveBack(claims);
    }

    @Override
    public boolean reserveEntry() {
        return reserve(entries);
    }

    @Override
    public void returnEntry() {
        giveBack(entries);
    }

    @Override
    public boolean reserve() {
        return room.take();
    }

    @Override
    public void giveBack() {
        room.giveBack();
    }

    private boolean reserve(Quota quota) {
        if (!room.take()) {
            return false;
        }
        if (quota.take()) {
            return true;
        }
        room.giveBack();
        return false;
    }

    private void giveBack(Quota quota) {
        quota.giveBack();
        room.giveBack();
    }

    /** A count with an upper bound; 0 is none. */
    private static final class Quota {
        private final long most;
        private final AtomicLong taken = new AtomicLong();

        Quota(long most) {
            this.most = most;
        }

        boolean take() {
            long now = taken.get();
            while (most == 0 || now < most) { // a refused one must never show in the count
                if (taken.compareAndSet(now, now + 1)) {
                    return true;
                }
                now = taken.get();
            }
            return false;
        }

        void giveBack() {
            taken.decrementAndGet();
        }
    }
}
