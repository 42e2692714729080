package io.holdfast.cluster.simulation;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.ReplicaListener;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.Effect;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Ignores what a replica does that serves no clients. */
final class SilentReplica implements ReplicaListener {
    private SilentReplica() {}

    /** Returns a replica with the state of a snapshot. */
    static Replica of(byte[] snapshot) {
        Replica replica =
                new Replica(
                        SimulatedCluster.RULES,
                        SimulatedNode.TRIAL,
                        MemoryBudgets.UNLIMITED,
                        _ -> null,
                        new SilentReplica());
        SimulatedCluster.read(replica, snapshot);
        return replica;
    }

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
