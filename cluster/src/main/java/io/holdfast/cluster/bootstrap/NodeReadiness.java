package io.holdfast.cluster.bootstrap;

import org.jspecify.annotations.Nullable;

/**
 * Decides whether clients should use this node: what it is asked for has to be committed soon. To
 * be looked at now and then.
 */
final class NodeReadiness {
    /** An election or a short pause is no reason to send clients elsewhere. */
    static final long MOST_NANOS = 2_000_000_000L;

    /**
     * What can be seen of the node.
     *
     * @param ended why it will never serve again; null if it may
     * @param serving whether the cluster knows of this process
     * @param hasLeader whether a leader is known
     * @param majoritySilent whether it leads and most of the others have been silent for too long
     * @param commitIndex how far the log is committed, as far as any node has told it
     * @param appliedIndex how far its own state is
     * @param unansweredNanos for how long the oldest command of its clients has been under way
     */
    record Observation(
            @Nullable String ended,
            boolean serving,
            boolean hasLeader,
            boolean majoritySilent,
            long commitIndex,
            long appliedIndex,
            long unansweredNanos) {}

    private volatile @Nullable String reason = "the node is starting";
    private long leaderSeenNanos;

    /** What has to be applied by now, as it was committed a while ago. */
    private long target = -1;

    private long targetNanos;

    NodeReadiness(long nowNanos) {
        this.leaderSeenNanos = nowNanos;
        this.targetNanos = nowNanos;
    }

    /** Why clients should use another node; null if they may use this one. */
    @Nullable String reason() {
        return reason;
    }

    synchronized void look(Observation observation, long nowNanos) {
        if (observation.hasLeader()) {
            leaderSeenNanos = nowNanos;
        }
        if (observation.appliedIndex() >= target) {
            target = observation.commitIndex();
            targetNanos = nowNanos;
        }
        reason = reasonOf(observation, nowNanos);
    }

    private @Nullable String reasonOf(Observation observation, long nowNanos) {
        if (observation.ended() != null) {
            return observation.ended();
        }
        if (nowNanos - leaderSeenNanos >= MOST_NANOS) {
            return "no leader";
        }
        if (observation.majoritySilent()) {
            return "no majority: too many of the other nodes do not answer";
        }
        if (!observation.serving()) {
            return "catching up with the cluster";
        }
        if (nowNanos - targetNanos >= MOST_NANOS) {
            return "catching up with the cluster: "
                    + (observation.commitIndex() - observation.appliedIndex())
                    + " entries behind";
        }
        if (observation.unansweredNanos() >= MOST_NANOS) {
            return "nothing is committed: the leader or the disks of a majority do not answer";
        }
        return null;
    }
}
