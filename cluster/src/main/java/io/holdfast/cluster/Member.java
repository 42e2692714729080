package io.holdfast.cluster;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.UUID;

/**
 * A member of a cluster: a node with one data directory. A node whose data directory was emptied is
 * another member.
 *
 * @param dataId the id of the contents of its data directory
 */
public record Member(NodeAddress address, UUID dataId) {
    public String name() {
        return address.name();
    }

    void write(DataOutput out) throws IOException {
        address.write(out);
        out.writeLong(dataId.getMostSignificantBits());
        out.writeLong(dataId.getLeastSignificantBits());
    }

    static Member read(DataInput in) throws IOException {
        return new Member(NodeAddress.read(in), new UUID(in.readLong(), in.readLong()));
    }
}
