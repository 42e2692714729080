package io.holdfast.cluster.driver;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.cluster.state.Replica;

import java.util.Set;

/**
 * Announces which version of the cluster this node knows, whenever the state says something else: a
 * delayed entry of an earlier start may be the last one. Used by one thread.
 */
final class VersionAnnouncer {
    private static final long AGAIN_NANOS = 500_000_000L;

    private final Member self;
    private final int known;
    private final ReplicatedLog replicatedLog;
    private long nextNanos = Long.MIN_VALUE;

    /**
     * @param self this node as a member
     * @param known the highest version of the cluster that this node knows
     */
    VersionAnnouncer(Member self, int known, ReplicatedLog replicatedLog) {
        this.self = self;
        this.known = known;
        this.replicatedLog = replicatedLog;
    }

    /** Whether the state says something else. */
    boolean isDue(Replica replica) {
        return replica.cluster() != null && replica.versionKnownTo(Set.of(self.dataId())) != known;
    }

    /** Proposes the announcement; again, if that takes long. */
    void announce(long now, int version) {
        if (now >= nextNanos) {
            nextNanos = now + AGAIN_NANOS;
            replicatedLog.propose(
                    LogEntryEncoding.encode(
                            new LogEntry.Announce(self.name(), self.dataId(), known), version),
                    _ -> {});
        }
    }
}
