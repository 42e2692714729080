package io.holdfast.cluster.simulation;

import static io.holdfast.cluster.simulation.SimulatedTime.MILLI;

import java.util.List;
import java.util.UUID;

/**
 * How nodes without a cluster get one: the first one forms it with the others if all are empty, and
 * a node with a restored backup forms it alone, and the empty ones are added to it. This models the
 * rules of {@link io.holdfast.cluster.formation.Formation}, which asks the other nodes over
 * sockets.
 */
final class SimulatedFormation {
    private static final long POLL_NANOS = 200 * MILLI;

    private final SimulatedCluster simulatedCluster;
    private final BrokenRule broken;

    SimulatedFormation(SimulatedCluster simulatedCluster, BrokenRule broken) {
        this.simulatedCluster = simulatedCluster;
        this.broken = broken;
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
        List<SimulatedNode> nodes = simulatedCluster.nodes;
        if (node.directory().restored && broken != BrokenRule.EMPTY_NODE_COUNTS_BESIDE_RESTORED) {
            form(node, List.of(node));
        } else if (nodes.getFirst() == node
                && nodes.stream().allMatch(other -> canForm(node, other))) {
            form(node, nodes);
        }
    }

    private void form(SimulatedNode node, List<SimulatedNode> members) {
        node.join(
                new UUID(simulatedCluster.time.number(), simulatedCluster.time.number()),
                members.stream().map(SimulatedNode::member).toList());
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
