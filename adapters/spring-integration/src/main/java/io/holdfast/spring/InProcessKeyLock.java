package io.holdfast.spring;

import io.holdfast.client.Hold;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/** A key inside this process: threads pass the gate first, and the one inside has the hold. */
final class InProcessKeyLock {
    final ReentrantLock gate = new ReentrantLock();

    /** Changed by the thread inside the gate alone. */
    volatile @Nullable Hold hold;

    /** Those who have it or want it, as often as they do; guarded by the map it is in. */
    int users;

    /** Whether the lease goes on by itself; of the thread inside. */
    private boolean renewed;

    /** Whether this thread had it before it passed the gate. */
    boolean isAgain() {
        return gate.getHoldCount() > 1;
    }

    void took(Hold taken, boolean isRenewed) {
        hold = taken;
        renewed = isRenewed;
    }

    /** Taken again by its thread: it must still be held, and for as long as that one asks. */
    void takeAgain(@Nullable Duration ttl) {
        Hold held = present();
        held.ensureHeld();
        if (ttl != null && !renewed && !held.heldForAtLeast(ttl)) {
            held.renew(ttl);
        }
    }

    /** Gives it back; whether it was still held. */
    boolean release() {
        Hold held = present();
        boolean wasHeld = held.isHeld() || held.lossReason().isEmpty();
        hold = null;
        held.close();
        return wasHeld;
    }

    private Hold present() {
        Hold held = hold;
        if (held == null) {
            throw new IllegalStateException("inside the gate without a hold");
        }
        return held;
    }
}
