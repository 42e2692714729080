package io.holdfast.cluster;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * The members of a cluster as a node knows them. During a change these are the old and the new
 * ones.
 *
 * @param term the term of the log entry with the list, or of a snapshot that has it; 0 for the list
 *     of a new cluster
 * @param index the index of that entry, or snapshot; -1 for the list of a new cluster
 */
public record MemberList(long term, long index, List<Member> members) {
    /** The list of a node that has none: older than every other. */
    public static final MemberList NONE = new MemberList(0, -2, List.of());

    public MemberList {
        members = List.copyOf(members);
    }

    /** Returns the list of a new cluster. */
    public static MemberList initial(List<Member> members) {
        return new MemberList(0, -1, members);
    }

    /**
     * Whether this list counts more than another one. A leader that was replaced may have a longer
     * log than its successor, but its entries have an earlier term.
     */
    public boolean isNewerThan(MemberList other) {
        return term == other.term ? index > other.index : term > other.term;
    }

    /** Whether a node of a certain name has a certain data directory. */
    public boolean contains(String name, UUID dataId) {
        return members.stream()
                .anyMatch(member -> member.name().equals(name) && member.dataId().equals(dataId));
    }

    public boolean contains(UUID dataId) {
        return members.stream().anyMatch(member -> member.dataId().equals(dataId));
    }

    public boolean containsName(String name) {
        return members.stream().anyMatch(member -> member.name().equals(name));
    }

    public void write(DataOutput out) throws IOException {
        out.writeLong(term);
        out.writeLong(index);
        out.writeShort(members.size());
        for (Member member : members) {
            member.write(out);
        }
    }

    public static MemberList read(DataInput in) throws IOException {
        long term = in.readLong();
        long index = in.readLong();
        Member[] members = new Member[in.readUnsignedShort()];
        for (int i = 0; i < members.length; i++) {
            members[i] = Member.read(in);
        }
        return new MemberList(term, index, List.of(members));
    }
}
