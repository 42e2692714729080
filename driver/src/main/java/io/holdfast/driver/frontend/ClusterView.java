package io.holdfast.driver.frontend;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.List;

/**
 * How the cluster of a server looks from it.
 *
 * @param cluster the name of the cluster
 * @param alone whether this node is all there is
 * @param role such as {@code leader} or {@code follower}
 * @param leader null while it knows of none
 * @param commitIndex how far the log is decided, as far as it knows
 * @param appliedIndex how far its copy of the state is
 * @param unready why clients should be sent to another node; null if it serves them
 * @param data the folder with its log and its snapshots
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
        @Nullable String unready,
        Path data,
        List<Member> others) {
    public ClusterView {
        others = List.copyOf(others);
    }

    /** How many entries are decided and not in its copy of the state yet. */
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
     * @param matchIndex how far its log is known to be equal; -1 if this node is not the leader
     * @param lastContactMillis since it was last heard of; -1 if this node is not the leader
     */
    public record Member(String node, String address, long matchIndex, long lastContactMillis) {}
}
