package io.holdfast.socketlock;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The lock that a client holds, shared by all its {@link SocketLock}s. Guarded by the monitor of
 * {@link ClientState}.
 */
final class ClientHold {
    final String lockId;
    final LockMode mode;
    final long fence;

    /** When it expires, by {@link System#nanoTime}; only meaningful with {@link #limited}. */
    final long endNanos;

    final boolean limited;

    /** The epoch of the primary that granted it, or that last accepted its re-assertion. */
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
