package io.holdfast.cluster.driver;

import io.holdfast.cluster.entry.BatchItem;

import org.jspecify.annotations.Nullable;

/** An item that this node's replica has not applied yet. */
final class PendingBatchItem {
    final BatchItem item;

    /** Null if no session waits for the result. */
    final @Nullable ReplicatedSession session;

    /** The time at which its session times out; {@link Long#MAX_VALUE} if never. */
    final long deadlineNanos;

    /** Whether its session has been sent the timeout. */
    boolean timedOut;

    PendingBatchItem(BatchItem batchItem, @Nullable ReplicatedSession session, long deadlineNanos) {
        this.item = batchItem;
        this.session = session;
        this.deadlineNanos = deadlineNanos;
    }
}
