package io.holdfast.cluster.driver;

import io.holdfast.cluster.entry.BatchItem;

import org.jspecify.annotations.Nullable;

/** An item on its way into the state. */
final class PendingBatchItem {
    final BatchItem item;

    /** Null for those that nobody waits for. */
    final @Nullable ReplicatedSession session;

    /** When nobody waits for it any more; {@link Long#MAX_VALUE} if never. */
    final long untilNanos;

    /** Whether its sender has been told that it takes too long. */
    boolean timedOut;

    PendingBatchItem(BatchItem batchItem, @Nullable ReplicatedSession session, long untilNanos) {
        this.item = batchItem;
        this.session = session;
        this.untilNanos = untilNanos;
    }
}
