package io.holdfast.client.socketlock;

import org.jspecify.annotations.Nullable;

/** The acquire that is in flight. Guarded by the desk. */
final class InFlightAcquire {
    /** How far it has come. */
    enum Stage {
        /** Not sent, or sent to a primary that is gone. */
        UNSENT,
        REQUESTED,
        /** Offered and confirmed; the primary has not agreed yet. */
        CONFIRMED,
        DONE
    }

    final LockMode mode;
    final long ttlSeconds;
    Stage stage = Stage.UNSENT;
    String lockId = "";
    long fence;
    long confirmedNanos;

    /** What the primary said between the offer and the answer. */
    String primaryError = "";

    @Nullable SocketLock result;
    @Nullable SocketLockException failure;

    InFlightAcquire(LockMode mode, long ttlSeconds) {
        this.mode = mode;
        this.ttlSeconds = ttlSeconds;
    }
}
