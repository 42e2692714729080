package io.holdfast.cluster.driver;

import io.holdfast.cluster.entry.BatchItem;

import org.jspecify.annotations.Nullable;

import java.util.List;

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

    /**
     * Refuses the request. The caller wakes its session.
     *
     * @param neverProposed whether it was never proposed
     * @param holds whether the session holds the resource of an enqueue by an earlier one
     */
    void timeOut(boolean neverProposed, boolean holds) {
        if (session != null) {
            session.timeOut(item, neverProposed, holds);
        }
    }

    void wake() {
        if (session != null) {
            session.mailbox().wake();
        }
    }

    /** Refuses requests that were never applied and will not be. */
    static void timeOutAll(List<PendingBatchItem> lost) {
        lost.forEach(each -> each.timeOut(true, false));
        lost.forEach(PendingBatchItem::wake);
    }
}
