package io.holdfast.cluster.rpc;

import io.holdfast.cluster.MemberList;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;

/**
 * What each side of a connection says about itself before anything else.
 *
 * @param cluster the name of the cluster
 * @param clusterId null for a node that has no cluster yet, and for an administrator
 * @param node the name of the node; empty for an administrator
 * @param dataId the id of the node's data directory; null for an administrator
 * @param members the members of the cluster as the node knows them
 */
public record Greeting(
        Kind kind,
        String cluster,
        @Nullable UUID clusterId,
        String node,
        @Nullable UUID dataId,
        MemberList members) {
    /** What the connection is for. */
    public enum Kind {
        /** Messages between the members of a cluster. */
        NODE(1),

        /** Queries and changes, by administrators and by nodes without a cluster. */
        ADMIN(2);

        /** Part of the protocol. */
        private final int code;

        Kind(int code) {
            this.code = code;
        }

        private static Kind of(int code) throws IOException {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IOException("bad greeting: unknown kind " + code);
        }
    }

    /** Returns the greeting of an administrator. */
    public static Greeting admin(String cluster) {
        return new Greeting(Kind.ADMIN, cluster, null, "", null, MemberList.NONE);
    }

    byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(kind.code);
            out.writeUTF(cluster);
            write(clusterId, out);
            out.writeUTF(node);
            write(dataId, out);
            members.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // impossible: it is written to memory
        }
        return bytes.toByteArray();
    }

    private static void write(@Nullable UUID id, DataOutputStream out) throws IOException {
        out.writeBoolean(id != null);
        if (id != null) {
            out.writeLong(id.getMostSignificantBits());
            out.writeLong(id.getLeastSignificantBits());
        }
    }

    static Greeting of(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        try {
            return new Greeting(
                    Kind.of(in.readByte()),
                    in.readUTF(),
                    readId(in),
                    in.readUTF(),
                    readId(in),
                    MemberList.read(in));
        } catch (IllegalArgumentException e) {
            throw new IOException("bad greeting: " + e.getMessage(), e);
        }
    }

    private static @Nullable UUID readId(DataInputStream in) throws IOException {
        return in.readBoolean() ? new UUID(in.readLong(), in.readLong()) : null;
    }
}
