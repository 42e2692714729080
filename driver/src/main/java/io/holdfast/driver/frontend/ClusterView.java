package io.holdfast.driver.frontend;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.List;

/**
 * The cluster as seen by one of its nodes.
 *
 * @param cluster the name of the cluster
 * @param node the name of this node
 * @param alone whether this is the only node
 * @param role such as {@code leader} or {@code follower}
 * @param leader null while unknown
 * @param commitIndex the last committed index known to this node
 * @param appliedIndex the last index applied to its state
 * @param version the version of the cluster as known to this node
 * @param knownVersion the highest version of the cluster that this node knows
 * @param unready why this node does not serve clients; null if it does
 * @param data the directory with its log and snapshots
 * @param refusedConnections how many connections between this node and others were refused
 * @param stateChecks how often this node has hashed its state, for a comparison with other nodes
 * @param diverged whether the state of this node was found to differ, so that it has stopped
 * @param others the other nodes
 */
public record ClusterView(
        String cluster,
        String node,
        boolean alone,
        String role,
        long term,
        @Nullable String leader,
        long commitIndex,
        long appliedIndex,
        int version,
        int knownVersion,
        @Nullable String unready,
        Path data,
        long refusedConnections,
        long stateChecks,
        boolean diverged,
        List<Member> others) {
    public ClusterView {
        others = List.copyOf(others);
    }

    /** The number of entries that are committed and not applied yet. */
    public long lag() {
        return Math.max(0, commitIndex - appliedIndex);
    }

    public boolean isServing() {
        return unready == null;
    }

    public boolean isLeader() {
        return role.equals("leader");
    }

    /**
     * Another node.
     *
     * @param matchIndex the last index replicated to it; -1 if this node is not the leader
     * @param lastContactMillis time since the last contact; -1 if this node is not the leader
     */
    public record Member(String node, String address, long matchIndex, long lastContactMillis) {}
}
