package io.holdfast.cluster.driver;

import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.cluster.state.Replica;

import java.util.List;

/**
 * The periodic tasks of the leader: creating the cluster, applying its settings, raising its
 * version, advancing the time, collecting idle keys and having the states of the nodes compared.
 */
final class LeaderTasks {
    private static final long RETRY_NANOS = 200_000_000L;
    private static final long IDLE_NANOS = 50_000_000L;
    private static final int COLLECT_SLICE = 1024;

    private final ReplicatedLog replicatedLog;
    private final ReplicatedSettings replicatedSettings;
    private final int known;
    private final long collectNanos;
    private final long checkNanos;
    private final ReplicatedDriver.Environment environment;

    /** The time until which our last proposal may still be in flight. */
    private long busyNanos = Long.MIN_VALUE;

    /** The number of entries that the replica had applied when the last proposal was made. */
    private long proposedAt = -1;

    private long nextCollectNanos = Long.MIN_VALUE;

    /** The number of checks that the replica had applied, and when that was first seen. */
    private long checks = -1;

    private long checkedNanos;

    /** Whether this node has proposed to create the cluster, and no check since. */
    private boolean creating;

    /**
     * @param known the highest version of the cluster that this node knows
     * @param checkNanos the time between two checks of the state; 0 for none
     */
    LeaderTasks(
            ReplicatedLog replicatedLog,
            ReplicatedSettings replicatedSettings,
            int known,
            long collectNanos,
            long checkNanos,
            ReplicatedDriver.Environment environment) {
        this.replicatedLog = replicatedLog;
        this.replicatedSettings = replicatedSettings;
        this.known = known;
        this.collectNanos = collectNanos;
        this.checkNanos = checkNanos;
        this.environment = environment;
    }

    /**
     * Proposes what is due if this node is the leader. Returns the time until the next call is due,
     * in nanoseconds.
     */
    long tick(Replica replica, long now) {
        if (replica.checks() != checks) {
            checks = replica.checks();
            checkedNanos = now;
        }
        if (!replicatedLog.isLeader()) {
            replicatedLog.releaseMembers();
            return IDLE_NANOS;
        }
        if (now < busyNanos && replica.entries() == proposedAt) {
            return Math.min(IDLE_NANOS, busyNanos - now);
        }
        if (replica.cluster() == null) {
            creating = true;
            propose( // also the settings: a log without a snapshot must have those it began with
                    List.of(
                            new LogEntry.ChangeSettings(replicatedSettings),
                            new LogEntry.CreateCluster(
                                    environment.randomUuid(), environment.wallClockNanos())),
                    replica,
                    now);
            return RETRY_NANOS;
        }
        if (!replica.rules().equals(replicatedSettings)) {
            propose(new LogEntry.ChangeSettings(replicatedSettings), replica, now);
            return RETRY_NANOS;
        }
        int next = nextVersion(replica);
        if (next > replica.version()) { // members are held until it is applied
            propose(new LogEntry.RaiseVersion(next), replica, now);
            return RETRY_NANOS;
        }
        replicatedLog.releaseMembers();
        if (isCheckDue(now) && !replicatedLog.isAlone()) {
            creating = false;
            propose(new LogEntry.CheckState(), replica, now);
            return IDLE_NANOS;
        }
        long due = replica.nextDueNanos();
        if (due == Long.MAX_VALUE && !replica.engine().hasCollectable(Long.MAX_VALUE - 1)) {
            return IDLE_NANOS;
        }
        boolean started = replica.term() == replicatedLog.term();
        long time = replica.timeNanos();
        if (started) {
            time += replicatedLog.dueNanos() - replica.stampNanos();
        }
        if (!started || due <= time) {
            propose(new LogEntry.Tick(), replica, now);
            return IDLE_NANOS;
        }
        if (now >= nextCollectNanos) {
            if (replica.engine().hasCollectable(time)) {
                propose(new LogEntry.Collect(COLLECT_SLICE), replica, now);
                return IDLE_NANOS;
            }
            nextCollectNanos = now + collectNanos;
        }
        return Math.min(IDLE_NANOS, due - time);
    }

    /** Also when the cluster was created, since it may have been from a backup. */
    private boolean isCheckDue(long now) {
        return creating || (checkNanos > 0 && now - checkedNanos >= checkNanos);
    }

    /** Returns the version that all members know; 0 if that is not known. */
    private int nextVersion(Replica replica) {
        return replica.version() < known
                ? Math.min(known, replica.versionKnownTo(replicatedLog.holdMembers()))
                : 0;
    }

    private void propose(LogEntry logEntry, Replica replica, long now) {
        propose(List.of(logEntry), replica, now);
    }

    /** Proposes entries in this order. */
    private void propose(List<LogEntry> logEntries, Replica replica, long now) {
        busyNanos = now + RETRY_NANOS;
        proposedAt = replica.entries();
        List<byte[]> encoded =
                logEntries.stream()
                        .map(logEntry -> LogEntryEncoding.encode(logEntry, replica.version()))
                        .toList();
        environment.runLater(() -> encoded.forEach(bytes -> replicatedLog.propose(bytes, _ -> {})));
    }
}
