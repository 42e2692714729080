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
 * @param index the index of the log entry with the list; -1 for the list of a new cluster
 */
public record MemberList(long index, List<Member> members) {
    /** The list of a node that has none: older than every other. */
    public static final MemberList NONE = new MemberList(-2, List.of());

    public MemberList {
        members = List.copyOf(members);
    }

    public boolean contains(UUID dataId) {
        return members.stream().anyMatch(member -> member.dataId().equals(dataId));
    }

    public boolean containsName(String name) {
        return members.stream().anyMatch(member -> member.name().equals(name));
    }

    public void write(DataOutput out) throws IOException {
        out.writeLong(index);
        out.writeShort(members.size());
        for (Member member : members) {
            member.write(out);
        }
    }

    public static MemberList read(DataInput in) throws IOException {
        long index = in.readLong();
        Member[] members = new Member[in.readUnsignedShort()];
        for (int i = 0; i < members.length; i++) {
            members[i] = Member.read(in);
        }
        return new MemberList(index, List.of(members));
    }
}
