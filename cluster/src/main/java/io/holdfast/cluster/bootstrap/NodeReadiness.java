package io.holdfast.cluster.bootstrap;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;

/**
 * Decides whether clients should use this node: commands must be committed and applied within a
 * short time. Updated periodically.
 */
final class NodeReadiness {
    /**
     * The longest stall for which the node stays ready: an election or a short pause is no reason
     * to send clients elsewhere.
     */
    static final long MAX_STALL_NANOS = 2_000_000_000L;

    /**
     * The observed state of the node.
     *
     * @param ended why the node will never serve again; null if it may
     * @param serving whether an incarnation of this process is in the replicated state
     * @param hasLeader whether a leader is known
     * @param majoritySilent whether this node is the leader and has had no response from a majority
     *     for too long
     * @param commitIndex the highest commit index that any node has reported to this one
     * @param appliedIndex the last index that its replica has applied
     * @param unansweredNanos for how long the oldest unapplied batch of its clients has been in
     *     flight
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

    @GuardedBy("this")
    private boolean wasReady;

    @GuardedBy("this")
    private long leaderSeenNanos;

    /** The index that must be applied by now, since it was committed a while ago. */
    @GuardedBy("this")
    private long target = -1;

    @GuardedBy("this")
    private long targetNanos;

    NodeReadiness(long nowNanos) {
        this.leaderSeenNanos = nowNanos;
        this.targetNanos = nowNanos;
    }

    /** Returns why clients should use another node; null if they may use this one. */
    @Nullable String reason() {
        return reason;
    }

    /** What an update has changed; the first time that a node is ready is no change. */
    enum Change {
        NONE,
        NOT_READY,
        READY_AGAIN
    }

    synchronized Change update(Observation observation, long nowNanos) {
        if (observation.hasLeader()) {
            leaderSeenNanos = nowNanos;
        }
        if (observation.appliedIndex() >= target) {
            target = observation.commitIndex();
            targetNanos = nowNanos;
        }
        String before = reason;
        reason = reasonOf(observation, nowNanos);
        if (reason == null) {
            Change change = wasReady && before != null ? Change.READY_AGAIN : Change.NONE;
            wasReady = true;
            return change;
        }
        return before == null ? Change.NOT_READY : Change.NONE;
    }

    @GuardedBy("this")
    private @Nullable String reasonOf(Observation observation, long nowNanos) {
        if (observation.ended() != null) {
            return observation.ended();
        }
        if (nowNanos - leaderSeenNanos >= MAX_STALL_NANOS) {
            return "no leader";
        }
        if (observation.majoritySilent()) {
            return "no majority: too many of the other nodes do not respond";
        }
        if (!observation.serving()) {
            return "catching up with the cluster";
        }
        if (nowNanos - targetNanos >= MAX_STALL_NANOS) {
            return "catching up with the cluster: "
                    + (observation.commitIndex() - observation.appliedIndex())
                    + " entries behind";
        }
        if (observation.unansweredNanos() >= MAX_STALL_NANOS) {
            return "nothing is committed: the leader or the disks of a majority do not respond";
        }
        return null;
    }
}
