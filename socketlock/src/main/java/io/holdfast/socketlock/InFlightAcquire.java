package io.holdfast.socketlock;

import org.jspecify.annotations.Nullable;

/** The acquire in flight. Guarded by the monitor of {@link ClientState}. */
final class InFlightAcquire {
    /** Its progress. */
    enum Stage {
        /** Not sent, or sent to a primary whose connection has ended. */
        UNSENT,
        REQUESTED,
        /** Offered and confirmed; the primary has not acknowledged it yet. */
        CONFIRMED,
        DONE
    }

    final LockMode mode;
    final long ttlSeconds;
    Stage stage = Stage.UNSENT;
    String lockId = "";
    long fence;
    long confirmedNanos;

    /** The failure that the primary reported between the confirmation and the status response. */
    String primaryError = "";

    @Nullable SocketLock result;
    @Nullable SocketLockException failure;

    InFlightAcquire(LockMode mode, long ttlSeconds) {
        this.mode = mode;
        this.ttlSeconds = ttlSeconds;
    }
}
