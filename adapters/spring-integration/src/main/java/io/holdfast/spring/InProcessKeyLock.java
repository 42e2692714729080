package io.holdfast.spring;

import io.holdfast.client.Hold;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of a key inside this process: a thread acquires the local gate first, and then the hold
 * of the server.
 */
final class InProcessKeyLock {
    final ReentrantLock gate = new ReentrantLock();

    /** Written only by the thread that holds the gate. */
    volatile @Nullable Hold hold;

    /**
     * The number of pending and successful acquires that were not released; guarded by the map
     * entry of {@link InProcessKeyLocks}.
     */
    int users;

    /**
     * Whether the lease is renewed automatically; accessed only by the thread that holds the gate.
     */
    private boolean renewed;

    /** Whether this thread held the gate already before it acquired it this time. */
    boolean isReentrant() {
        return gate.getHoldCount() > 1;
    }

    void acquired(Hold newHold, boolean isRenewed) {
        hold = newHold;
        renewed = isRenewed;
    }

    /**
     * Called for a reentrant acquire: throws unless the hold is still valid, and extends the lease
     * if the requested time to live is longer.
     */
    void reacquire(@Nullable Duration ttl) {
        Hold held = currentHold();
        held.ensureHeld();
        if (ttl != null && !renewed && !held.heldForAtLeast(ttl)) {
            held.renew(ttl);
        }
    }

    /** Releases the hold; returns whether it was still held. */
    boolean release() {
        Hold held = currentHold();
        boolean wasHeld = held.isHeld() || held.lossReason().isEmpty();
        hold = null;
        held.close();
        return wasHeld;
    }

    private Hold currentHold() {
        Hold held = hold;
        if (held == null) {
            throw new IllegalStateException("inside the gate without a hold");
        }
        return held;
    }
}
