package io.holdfast.cluster.state;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * Notified of what applying an entry does. Called under the lock of the state, in the order of the
 * log: implementations must be quick and must not call other components.
 */
public interface ReplicaListener {
    /** An effect for a session of any node. */
    void onEffect(Effect effect);

    /**
     * An item was applied; its effects were reported before.
     *
     * @param result of its request, if it has one already
     */
    void onItemApplied(BatchItem batchItem, @Nullable Effect result);

    /** A batch is about to be applied. */
    void onBatchStart(long incarnation, long sequence);

    /** A batch was applied; all its items were reported before. */
    void onBatchApplied(long incarnation, long sequence);

    /** An incarnation began. */
    void onIncarnationBegun(String node, UUID nonce, long incarnation);

    /**
     * All holds and waits of a session have ended; its {@link Replica.SessionInfo} is still
     * available.
     */
    void onSessionEnded(long session);

    /** An incarnation has ended, which its node may not know yet. */
    void onIncarnationEnded(long incarnation);

    /** The state was replaced by a snapshot of another node. */
    void onStateReplaced();
}
