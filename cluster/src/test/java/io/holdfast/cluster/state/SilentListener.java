package io.holdfast.cluster.state;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Ignores what applying an entry does. */
final class SilentListener implements ReplicaListener {
    @Override
    public void onEffect(Effect effect) {}

    @Override
    public void onItemApplied(BatchItem batchItem, @Nullable Effect result) {}

    @Override
    public void onBatchStart(long incarnation, long sequence) {}

    @Override
    public void onBatchApplied(long incarnation, long sequence) {}

    @Override
    public void onIncarnationBegun(String node, UUID nonce, long incarnation) {}

    @Override
    public void onSessionEnded(long session) {}

    @Override
    public void onIncarnationEnded(long incarnation) {}

    @Override
    public void onStateReplaced() {}
}
