package io.holdfast.cluster.state;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * Where a node hears what follows from an entry. Called while the state is locked, in order: it
 * must be quick and call nobody.
 */
public interface ReplicaListener {
    /** Something happened to a session, of whatever node. */
    void onEffect(Effect effect);

    /**
     * An item was applied; its effects were told before.
     *
     * @param answer to its request, if it has one already
     */
    void onItemApplied(BatchItem batchItem, @Nullable Effect answer);

    /** A batch is about to be applied. */
    void onBatchStart(long stint, long sequence);

    /** A batch was applied; all its items were told before. */
    void onBatchApplied(long stint, long sequence);

    /** A stint began. */
    void onIncarnationBegun(String node, UUID nonce, long stint);

    /**
     * A node wanted to begin a stint and may not: it has lost what it had on disk, or has it from
     * another cluster.
     */
    void onIncarnationRejected(String node, UUID nonce, String reason);

    /** Everything a session had is free; who is behind it is still known. */
    void onSessionEnded(long session);

    /** A stint was ended, whether its node knows or not. */
    void onIncarnationEnded(long stint);

    /** The state was replaced by a copy of another node's. */
    void onStateReplaced();
}
