package io.holdfast.cluster;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * How a cluster looks from one of its nodes.
 *
 * @param role such as {@code leader} or {@code follower}
 * @param leader null while it knows of none
 * @param commitIndex how far the log is decided, as far as it knows
 * @param appliedIndex how far its copy of the state is
 * @param serving whether it serves clients
 * @param sessions of clients that are connected to it
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
        List<Peer> peers) {
    public NodeStatus {
        peers = List.copyOf(peers);
    }

    /** How many entries are decided and not in its copy of the state yet. */
    public long lag() {
        return Math.max(0, commitIndex - appliedIndex);
    }

    /**
     * Another node, as this one sees it.
     *
     * @param matchIndex how far its log is known to be equal; -1 if this node is not the leader
     * @param lastContactMillis since it was last heard of; -1 if this node is not the leader
     */
    public record Peer(String node, String address, long matchIndex, long lastContactMillis) {}
}
