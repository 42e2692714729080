package io.holdfast.cluster.simulation;

import io.holdfast.cluster.Member;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A data directory: what a node has on its disk. Entries are counted from 1. */
final class SimulatedDirectory {
    /**
     * A snapshot of the state.
     *
     * @param index the number of entries that were applied
     */
    record StoredSnapshot(int index, byte[] bytes) {}

    final UUID dataId;

    /** Whether a backup was restored into it. */
    final boolean restored;

    /** The id of the cluster and its first members; null until the node has a cluster. */
    private @Nullable UUID clusterId;

    private RaftEntry.Members initial = RaftEntry.Members.NONE;

    long term;

    /** The data directory that has the vote in this term. */
    @Nullable UUID vote;

    private final List<RaftEntry> log = new ArrayList<>();

    /** The number of entries that survive a crash. */
    private int synced;

    /** The number of entries of which only the snapshot is left. */
    private int purged;

    private @Nullable StoredSnapshot snapshot;

    /** The index of the last entry with a member list; 0 if there is none. */
    private int membersIndex;

    /** The number of entries that a directory of this identity had when it was emptied. */
    private final int lost;

    /** An empty directory. */
    SimulatedDirectory(UUID dataId) {
        this(dataId, 0);
    }

    private SimulatedDirectory(UUID dataId, int lost) {
        this.dataId = dataId;
        this.restored = false;
        this.lost = lost;
    }

    /** A directory with a restored backup. */
    SimulatedDirectory(UUID dataId, RaftEntry entry, byte[] state) {
        this.dataId = dataId;
        this.restored = true;
        this.lost = 0;
        this.term = entry.term();
        log.add(entry);
        synced = 1;
        snapshot = new StoredSnapshot(1, state);
        purged = 1;
    }

    /** An empty directory with the identity of another one. */
    static SimulatedDirectory emptied(SimulatedDirectory old) {
        SimulatedDirectory next =
                new SimulatedDirectory(old.dataId, Math.max(old.synced, old.lost));
        next.clusterId = old.clusterId;
        next.initial = old.initial;
        return next;
    }

    @Nullable UUID clusterId() {
        return clusterId;
    }

    List<Member> initialMembers() {
        return initial.members();
    }

    void recordCluster(UUID id, List<Member> members) {
        clusterId = id;
        initial = new RaftEntry.Members(members, List.of());
    }

    // ---- the log

    int lastIndex() {
        return log.size();
    }

    long termAt(int index) {
        return index == 0 ? 0 : entry(index).term();
    }

    RaftEntry entry(int index) {
        return log.get(index - 1);
    }

    List<RaftEntry> entries(int from, int to) {
        return List.copyOf(log.subList(from - 1, to));
    }

    /** Whether a log that ends with a certain entry has all that this one can have committed. */
    boolean isNotNewerThan(long lastTerm, int lastIndex) {
        long mine = termAt(lastIndex());
        return lastTerm > mine || (lastTerm == mine && lastIndex >= lastIndex());
    }

    void append(RaftEntry entry) {
        log.add(entry);
        if (entry.content() instanceof RaftEntry.Members) {
            membersIndex = log.size();
        }
    }

    /** Removes the last entries. */
    void truncate(int size) {
        log.subList(size, log.size()).clear();
        synced = Math.min(synced, size);
        while (membersIndex > size
                || (membersIndex > 0
                        && !(entry(membersIndex).content() instanceof RaftEntry.Members))) {
            membersIndex--;
        }
    }

    RaftEntry.Members members() {
        return membersIndex == 0 ? initial : (RaftEntry.Members) entry(membersIndex).content();
    }

    int membersIndex() {
        return membersIndex;
    }

    int synced() {
        return synced;
    }

    void sync(int index) {
        synced = Math.max(synced, Math.min(index, log.size()));
    }

    /** Whether it has as many entries as it ever had. */
    boolean isIntact() {
        return synced >= lost;
    }

    int purged() {
        return purged;
    }

    @Nullable StoredSnapshot snapshot() {
        return snapshot;
    }

    /** Writes a snapshot of the state after some entries, all of which the log has. */
    void store(StoredSnapshot next) {
        snapshot = next;
        sync(next.index());
    }

    /** Purges entries that the snapshot has. */
    void purge(int index) {
        purged = Math.max(purged, index);
    }

    /** Installs a snapshot of another node, which replaces the log if that does not go beyond. */
    void install(StoredSnapshot installed, List<RaftEntry> before) {
        int last = installed.index();
        if (last > log.size() || entry(last) != before.getLast()) {
            truncate(0);
            before.forEach(this::append);
        }
        store(installed);
        purge(last);
    }
}
