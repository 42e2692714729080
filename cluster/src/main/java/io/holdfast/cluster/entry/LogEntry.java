package io.holdfast.cluster.entry;

import java.util.List;
import java.util.UUID;

/** The contents of a log entry. The leader adds its time when it appends the entry. */
public sealed interface LogEntry {
    /**
     * Creates a cluster, also after a backup was restored.
     *
     * @param fence lower bound: all later fences are greater
     */
    record CreateCluster(UUID cluster, long fence) implements LogEntry {}

    /** Replaces the replicated settings. */
    record ChangeSettings(ReplicatedSettings rules) implements LogEntry {}

    /**
     * A node announces what it knows.
     *
     * @param dataId the id of the node's data directory
     * @param known the highest version of the cluster that the node knows
     */
    record Announce(String node, UUID dataId, int known) implements LogEntry {}

    /**
     * Raises the version of the cluster. Later entries are applied by the rules of that version.
     * The leader proposes it when every member knows the version.
     */
    record RaiseVersion(int version) implements LogEntry {}

    /**
     * A node starts to serve: a new incarnation begins. The node learns its number when its own
     * replica applies the entry. A second entry with the same nonce has no effect.
     */
    record BeginIncarnation(String node, UUID nonce) implements LogEntry {}

    /**
     * Requests of the sessions of an incarnation, in order. The batches of an incarnation are
     * numbered from 1 without gaps; every batch except the next one is ignored, so a batch that is
     * sent twice is applied once. A batch without items is a heartbeat of the incarnation.
     */
    record Batch(long incarnation, long sequence, List<BatchItem> items) implements LogEntry {}

    /** An incarnation ends gracefully: all its sessions have ended. */
    record EndIncarnation(long incarnation) implements LogEntry {}

    /**
     * Several entries in order, from one or more nodes, which the leader collected while another
     * entry was being written. Entry batches are not nested.
     */
    record EntryBatch(List<LogEntry> entries) implements LogEntry {}

    /** Advances the time. */
    record Tick() implements LogEntry {}

    /**
     * Collects idle keys.
     *
     * @param maxExamined the maximum number of locks, and of data entries, to examine
     */
    record Collect(int maxExamined) implements LogEntry {}

    /**
     * Every node hashes its replica as it is after this entry and compares that with the others. It
     * changes nothing itself.
     */
    record CheckState() implements LogEntry {}

    /** Whether it is, or has, a {@link CheckState}. */
    default boolean checksState() {
        if (this instanceof EntryBatch(List<LogEntry> entries)) {
            for (int i = 0; i < entries.size(); i++) {
                if (entries.get(i) instanceof CheckState) {
                    return true;
                }
            }
        }
        return this instanceof CheckState;
    }
}
