package io.holdfast.cluster.simulation;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * An entry of a log. The copies of an entry are the same object.
 *
 * @param atNanos the true time at which a leader appended it
 */
record RaftEntry(long term, long atNanos, Content content) {
    /** The length of an entry without a proposal. */
    private static final int BYTES = 64;

    /** What an entry carries. */
    sealed interface Content {}

    /** A proposal of a node. */
    record Proposal(EntryTime time, LogEntry entry, int bytes) implements Content {}

    /**
     * A member list, which counts from the moment that it is in the log.
     *
     * @param previous the members before a change, until the change is committed: both majorities
     *     are needed meanwhile; empty if no change is in progress
     */
    record Members(List<Member> members, List<Member> previous) implements Content {
        static final Members NONE = new Members(List.of(), List.of());

        boolean contains(UUID dataId) {
            return contains(members, dataId) || contains(previous, dataId);
        }

        /** Returns all whose messages count. */
        List<Member> all() {
            List<Member> all = new ArrayList<>(members);
            for (Member member : previous) {
                if (!all.contains(member)) {
                    all.add(member);
                }
            }
            return all;
        }

        /** Whether data directories are enough to elect a leader and to commit. */
        boolean isMajority(Set<UUID> dataIds) {
            return isMajority(members, dataIds)
                    && (previous.isEmpty() || isMajority(previous, dataIds));
        }

        private static boolean contains(List<Member> members, UUID dataId) {
            return members.stream().anyMatch(member -> member.dataId().equals(dataId));
        }

        private static boolean isMajority(List<Member> members, Set<UUID> dataIds) {
            int reached = 0;
            for (Member member : members) {
                reached += dataIds.contains(member.dataId()) ? 1 : 0;
            }
            return reached * 2 > members.size();
        }
    }

    /** The state of a restored backup, which is the first entry of its cluster. */
    record Restored(byte[] state) implements Content {
        @Override
        public String toString() {
            return "Restored[]";
        }
    }

    int bytes() {
        return switch (content) {
            case Proposal proposal -> proposal.bytes();
            case Members _ -> BYTES;
            case Restored restored -> restored.state().length;
        };
    }
}
