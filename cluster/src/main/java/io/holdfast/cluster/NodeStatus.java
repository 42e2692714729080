package io.holdfast.cluster;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The state of a cluster as one of its nodes sees it.
 *
 * @param role such as {@code leader} or {@code follower}
 * @param leader null while no leader is known
 * @param commitIndex the last index that the node knows to be committed
 * @param appliedIndex the last index that its replica has applied
 * @param serving whether the node serves clients
 * @param sessions the number of sessions of clients connected to the node
 * @param version the version of the cluster as the node knows it; 0 if it has no cluster
 * @param knownVersion the highest version of the cluster that the node knows
 */
public record NodeStatus(
        String node,
        String role,
        long term,
        @Nullable String leader,
        long commitIndex,
        long appliedIndex,
        boolean serving,
        int sessions,
        int version,
        int knownVersion,
        List<Peer> peers) {
    public NodeStatus {
        peers = List.copyOf(peers);
    }

    /** Returns the number of committed entries that the replica has not applied yet. */
    public long lag() {
        return Math.max(0, commitIndex - appliedIndex);
    }

    public NodeStatus withRole(String other) {
        return new NodeStatus(
                node,
                other,
                term,
                leader,
                commitIndex,
                appliedIndex,
                serving,
                sessions,
                version,
                knownVersion,
                peers);
    }

    /**
     * Another node, as this one sees it.
     *
     * @param matchIndex the last index to which its log is known to match; -1 if this node is not
     *     the leader
     * @param lastContactMillis the time since its last response, in milliseconds; -1 if this node
     *     is not the leader
     */
    public record Peer(String node, String address, long matchIndex, long lastContactMillis) {}
}
