package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.state.Replica;
import io.holdfast.driver.FailureText;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * The state in the files of a node that is not running: its newest snapshot and all entries of the
 * log after it, also those of which the node never learned whether they were committed.
 */
public final class LogRecovery {
    /**
     * The number of fences that entries can have used which the log does not have. A new cluster
     * also begins above the clock; this matters if the clock was set back.
     */
    private static final long MISSING_FENCES = 1_000_000_000_000L;

    private final Replica replica;

    /** Whether the settings are known with which the next entry was applied. */
    private boolean hasSettings;

    private long term;
    private long index;

    private LogRecovery(Replica replica) {
        this.replica = replica;
    }

    /**
     * Reads the files. As at a start, an unfinished write at the end is cut off.
     *
     * @param raft the directory of the log and the snapshots of a node
     * @throws ClusterException if they are damaged
     */
    public static LogRecovery read(Path raft, UUID clusterId) throws ClusterException {
        Path group = raft.resolve(clusterId.toString());
        try {
            try (HardStateFile hardState = HardStateFile.open(group, true, _ -> {})) {
                LogIntegrityCheck.check(group, true, hardState.state().acknowledged());
            }
            return readChecked(group);
        } catch (ClusterException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw new ClusterException(
                    "the state in " + group + " cannot be read: " + FailureText.of(e, group), e);
        }
    }

    private static LogRecovery readChecked(Path group) throws IOException {
        Optional<Path> snapshot = LogIntegrityCheck.newestSnapshotFile(group.resolve("sm"));
        LogRecovery recovery;
        if (snapshot.isPresent()) {
            recovery = new LogRecovery(Replica.of(snapshot.get(), ClusterVersion.LATEST));
            recovery.hasSettings = true;
            recovery.index = LogIntegrityCheck.snapshotIndex(snapshot.get());
            recovery.term = LogIntegrityCheck.snapshotTerm(snapshot.get());
        } else {
            recovery = new LogRecovery(Replica.withoutClients());
            recovery.index = -1;
        }
        for (LogIntegrityCheck.Segment segment :
                LogIntegrityCheck.segments(group.resolve("current"))) {
            byte[] bytes = Files.readAllBytes(segment.file());
            new LogSegmentReader(bytes, segment.start()).readEntries(recovery::apply);
        }
        if (!recovery.hasSettings) {
            throw new ClusterException(
                    "there is nothing to recover: the cluster has never served; start all nodes"
                            + " with empty data directories");
        }
        return recovery;
    }

    private void apply(LogEntryProto entry) throws IOException {
        if (entry.getIndex() <= index) {
            return; // the snapshot has it
        }
        term = entry.getTerm();
        index = entry.getIndex();
        if (!entry.hasStateMachineLogEntry()) {
            return;
        }
        StampedEntry stamped =
                StampedEntry.decode(
                        entry.getStateMachineLogEntry().getLogData(), ClusterVersion.LATEST);
        requireSettings(stamped.entry());
        replica.apply(term, stamped.time(), stamped.entry());
        replica.events().clear();
    }

    /** The log of an earlier version may begin without its settings, which change results. */
    private void requireSettings(LogEntry entry) throws ClusterException {
        switch (entry) {
            case LogEntry.ChangeSettings _ -> hasSettings = true;
            case LogEntry.EntryBatch(var entries) -> {
                for (LogEntry each : entries) {
                    requireSettings(each);
                }
            }
            case LogEntry.Batch _ -> {
                if (!hasSettings) {
                    throw new ClusterException(
                            "there is no snapshot, and the log does not begin with the settings of"
                                    + " the cluster, as it was begun by an earlier version: restore"
                                    + " a backup");
                }
            }
            default -> {}
        }
    }

    /** Returns the term of the last entry. */
    public long term() {
        return term;
    }

    /** Returns the index of the last entry. */
    public long index() {
        return index;
    }

    /** Returns the last fence that the log has granted. */
    public long lastFence() {
        return replica.lastFence();
    }

    /** Returns the session timeout of the cluster. */
    public Duration sessionTimeout() {
        return Duration.ofNanos(replica.rules().sessionNanos());
    }

    /**
     * Writes the files of a node that starts with this state.
     *
     * @param group the directory of the Raft group
     * @param quarantine for how long the new cluster grants nothing but shared locks
     */
    public void write(Path group, Duration quarantine) throws IOException {
        replica.recover(quarantine.toNanos(), MISSING_FENCES);
        RestoredLogWriter.write(group, replica);
    }
}
