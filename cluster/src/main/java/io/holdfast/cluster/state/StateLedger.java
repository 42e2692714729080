package io.holdfast.cluster.state;

import io.holdfast.driver.Caps;
import io.holdfast.driver.Room;
import io.holdfast.engine.Ledger;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * The fence counter and what is counted against the caps, the same on every node. Memory is not: it
 * is only told what is taken, and asked elsewhere, before a command gets into the log.
 */
final class StateLedger implements Ledger {
    private final Room room;
    private Caps caps;
    private long lastFence;
    private long keys;
    private long claims;
    private long entries;

    /** Pieces that {@link #room} had for us. */
    private long roomy;

    /** And those that it had not. */
    private long crowded;

    StateLedger(Room room, Caps caps) {
        this.room = room;
        this.caps = caps;
    }

    void cap(Caps next) {
        caps = next;
    }

    long lastFence() {
        return lastFence;
    }

    void raiseFence(long floor) {
        lastFence = Math.max(lastFence, floor);
    }

    @Override
    public long nextFence() {
        return ++lastFence;
    }

    @Override
    public boolean reserveKey() {
        if (isFull(keys, caps.keys())) {
            return false;
        }
        keys++;
        return take();
    }

    @Override
    public void returnKey() {
        keys--;
        giveBack();
    }

    @Override
    public boolean reserveClaim() {
        if (isFull(claims, caps.claims())) {
            return false;
        }
        claims++;
        return take();
    }

    @Override
    public void returnClaim() {
        claims--;
        giveBack();
    }

    @Override
    public boolean reserveEntry() {
        if (isFull(entries, caps.entries())) {
            return false;
        }
        entries++;
        return take();
    }

    @Override
    public void returnEntry() {
        entries--;
        giveBack();
    }

    @Override
    public boolean reserve() {
        return take();
    }

    @Override
    public void giveBack() {
        if (crowded > 0) {
            crowded--;
        } else if (roomy > 0) {
            roomy--;
            room.giveBack();
        }
    }

    /** All of it is gone. */
    void giveAllBack() {
        for (; roomy > 0; roomy--) {
            room.giveBack();
        }
        crowded = 0;
    }

    private boolean take() {
        if (room.take()) {
            roomy++;
        } else {
            crowded++;
        }
        return true;
    }

    private static boolean isFull(long count, long cap) {
        return cap > 0 && count >= cap;
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(lastFence);
        out.writeLong(keys);
        out.writeLong(claims);
        out.writeLong(entries);
        out.writeLong(roomy + crowded);
    }

    void read(DataInput in) throws IOException {
        lastFence = in.readLong();
        keys = in.readLong();
        claims = in.readLong();
        entries = in.readLong();
        for (long left = in.readLong(); left > 0; left--) {
            take();
        }
    }
}
