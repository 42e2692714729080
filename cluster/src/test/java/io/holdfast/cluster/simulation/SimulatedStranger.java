package io.holdfast.cluster.simulation;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;

import org.jspecify.annotations.Nullable;

/** A node of another cluster, at an address that a member had. It takes part in Raft only. */
final class SimulatedStranger implements SimulatedPeer.Process, SimulatedNetwork.Listener {
    private final NodeAddress address;
    private final SimulatedNetwork network;
    private final SimulatedPeer peer;
    private boolean ended;

    SimulatedStranger(NodeAddress address, SimulatedDirectory directory, SimulatedNetwork network) {
        this.address = address;
        this.network = network;
        this.peer = new SimulatedPeer(directory, this, network);
        network.listen(address, this);
    }

    void end() {
        ended = true;
        network.close(address);
    }

    @Override
    public SimulatedPeer peer() {
        return peer;
    }

    @Override
    public void greeted(SimulatedPeer opener) {}

    @Override
    public NodeAddress address() {
        return address;
    }

    @Override
    public int life() {
        return ended ? 0 : 1;
    }

    @Override
    public void later(int ofLife, long delayNanos, Runnable task) {
        network.time.after(delayNanos, () -> deliver(ofLife, task));
    }

    @Override
    public void deliver(int ofLife, Runnable task) {
        if (!ended) {
            task.run();
        }
    }

    @Override
    public void onCommit(SimulatedPeer of, int from, int to) {}

    @Override
    public void onInstalled(SimulatedDirectory.StoredSnapshot snapshot) {}

    @Override
    public void onLeader(@Nullable Member leader) {}
}
