package io.holdfast.engine.lock;

import io.holdfast.engine.Key;
import io.holdfast.engine.Quotas;

import org.jspecify.annotations.Nullable;

/** Quotas of plain numbers that a test can set. */
public class TestQuotas implements Quotas {
    /** 0 is no limit. */
    public long maxKeys;

    /** Whether memory is left. */
    public boolean memoryLeft = true;

    public long keys;

    /** 0 is no limit. */
    public long maxTransientKeys;

    /** The number of transient keys. */
    public long transientKeys;

    /** 0 is no limit. */
    public long maxEntries;

    /** Counters, values and lists. */
    public long entries;

    /** Holds and waits. */
    public long pieces;

    /** The charged bytes of transient keys. */
    public long transientKeyBytes;

    /** The charged bytes of values and items. */
    public long contentBytes;

    public long lastFence;

    @Override
    public long nextFence() {
        return ++lastFence;
    }

    @Override
    public boolean reserveKey(Key key, @Nullable Client client) {
        if (!memoryLeft || (maxKeys > 0 && keys >= maxKeys)) {
            return false;
        }
        keys++;
        return true;
    }

    @Override
    public void returnKey(Key key, @Nullable Client client) {
        keys--;
    }

    @Override
    public boolean reserveTransientKey(Key key, @Nullable Client client) {
        if (!memoryLeft || (maxTransientKeys > 0 && transientKeys >= maxTransientKeys)) {
            return false;
        }
        transientKeys++;
        transientKeyBytes += key.bytes().length;
        return true;
    }

    @Override
    public void returnTransientKey(Key key, @Nullable Client client) {
        transientKeys--;
        transientKeyBytes -= key.bytes().length;
    }

    @Override
    public boolean reserveHold(@Nullable Client client) {
        return reservePiece();
    }

    @Override
    public void returnHold(@Nullable Client client) {
        pieces--;
    }

    @Override
    public boolean reserveWait(@Nullable Client client) {
        return reservePiece();
    }

    @Override
    public void returnWait(@Nullable Client client) {
        pieces--;
    }

    @Override
    public void grantWait(@Nullable Client client) {}

    @Override
    public void passHold(@Nullable Client from, @Nullable Client to) {}

    @Override
    public boolean reserveEntry(Key key, @Nullable Client client) {
        if (!memoryLeft || (maxEntries > 0 && entries >= maxEntries)) {
            return false;
        }
        entries++;
        return true;
    }

    @Override
    public void returnEntry(Key key, @Nullable Client client) {
        entries--;
    }

    @Override
    public boolean reserveContent(int bytes) {
        if (memoryLeft) {
            contentBytes += bytes;
        }
        return memoryLeft;
    }

    @Override
    public void returnContent(int bytes) {
        contentBytes -= bytes;
    }

    private boolean reservePiece() {
        if (memoryLeft) {
            pieces++;
        }
        return memoryLeft;
    }
}
