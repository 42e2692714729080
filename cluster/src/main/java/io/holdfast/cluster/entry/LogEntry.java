package io.holdfast.cluster.entry;

import java.util.List;
import java.util.UUID;

/** What one entry of the log says. The leader adds its time when it appends it. */
public sealed interface LogEntry {
    /**
     * A cluster begins, or goes on after it was restored from a copy.
     *
     * @param fence fences are above this from now on
     */
    record CreateCluster(UUID cluster, long fence) implements LogEntry {}

    /** The rules are these from now on. */
    record ChangeSettings(ReplicatedSettings rules) implements LogEntry {}

    /**
     * A node begins to serve: a stint. It is told its number by its own copy of the state. Joining
     * twice with one nonce is joining once.
     *
     * @param dataId names what the node has on its disk: a node that comes back with another has
     *     lost what it had promised to remember
     */
    record BeginIncarnation(String node, UUID dataId, UUID nonce) implements LogEntry {}

    /**
     * What the sessions of a stint ask for, in order. Batches of a stint are numbered from 1
     * without gaps; any other than the next is passed over, so sending one twice does nothing
     * twice. A batch without items says that the stint goes on.
     */
    record Batch(long incarnation, long sequence, List<BatchItem> items) implements LogEntry {}

    /** A stint is over, in good order: all its sessions have ended. */
    record EndIncarnation(long incarnation) implements LogEntry {}

    /**
     * Entries that came together, in order: what several nodes sent while another entry was being
     * written. There is no such thing inside another.
     */
    record EntryBatch(List<LogEntry> entries) implements LogEntry {}

    /** Time has passed. */
    record Tick() implements LogEntry {}

    /** Names that nobody uses are forgotten, of so many that are looked at. */
    record Collect(int maxExamined) implements LogEntry {}
}
