package io.holdfast.client.socketlock;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The one lock that a client has, however many share it. Guarded by the desk. */
final class ClientHold {
    final String lockId;
    final LockMode mode;
    final long fence;

    /** When it ends by itself; meaningful only with {@link #limited}. */
    final long endNanos;

    final boolean limited;

    /** Number of the primary that granted it or booked it last. */
    long epoch;

    LockState state = LockState.VALID;
    int uses = 1;
    final List<Consumer<LockState>> listeners = new ArrayList<>();

    ClientHold(
            String lockId, LockMode mode, long fence, boolean limited, long endNanos, long epoch) {
        this.lockId = lockId;
        this.mode = mode;
        this.fence = fence;
        this.limited = limited;
        this.endNanos = endNanos;
        this.epoch = epoch;
    }

    boolean isOver(long nowNanos) {
        return limited && nowNanos - endNanos >= 0;
    }
}
