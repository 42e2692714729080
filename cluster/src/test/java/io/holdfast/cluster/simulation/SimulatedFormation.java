package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;

import java.util.List;
import java.util.UUID;

/**
 * How nodes without a cluster get one. This models the rules of {@link
 * io.holdfast.cluster.formation.Formation}, which asks the other nodes over sockets.
 */
final class SimulatedFormation {
    private static final long POLL_NANOS = 200 * MILLI;

    private final SimulatedCluster simulatedCluster;
    private final BrokenRule broken;

    /** The nodes that form a cluster together; others wait to be added to it. */
    private List<SimulatedNode> configured = List.of();

    SimulatedFormation(SimulatedCluster simulatedCluster, BrokenRule broken) {
        this.simulatedCluster = simulatedCluster;
        this.broken = broken;
    }

    void configure(List<SimulatedNode> nodes) {
        configured = List.copyOf(nodes);
    }

    /** Lets a node look for a cluster until it has one. */
    void await(SimulatedNode node) {
        if (node.isWaiting()) {
            step(node);
            node.later(POLL_NANOS, () -> await(node));
        }
    }

    void step(SimulatedNode node) {
        for (SimulatedNode other : simulatedCluster.nodes) {
            SimulatedPeer peer = isReached(node, other) ? other.peer() : null;
            if (peer != null && peer.members().contains(node.directory().dataId)) {
                node.join(peer.clusterId(), peer.members().all());
                return;
            }
        }
        if (!configured.isEmpty()
                && configured.getFirst() == node
                && configured.stream().allMatch(other -> canForm(node, other))) {
            node.join(
                    new UUID(simulatedCluster.time.number(), simulatedCluster.time.number()),
                    configured.stream().map(SimulatedNode::member).toList());
        }
    }

    private boolean canForm(SimulatedNode node, SimulatedNode other) {
        return other == node
                || (isReached(node, other)
                        && other.isWaiting()
                        && (other.directory().restored == node.directory().restored
                                || broken == BrokenRule.EMPTY_NODE_COUNTS_BESIDE_RESTORED));
    }

    private boolean isReached(SimulatedNode node, SimulatedNode other) {
        return other != node
                && other.runs()
                && simulatedCluster.network.areConnected(node.address(), other.address());
    }
}
