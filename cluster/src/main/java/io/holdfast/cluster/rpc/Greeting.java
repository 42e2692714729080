package io.holdfast.cluster.rpc;

import io.holdfast.cluster.KnownVersions;
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
 * What each side of a connection says about itself before anything else. It begins with the
 * versions of the frames, so that nodes which have none in common can say so. Later versions only
 * add fields at the end, which older readers ignore, and take what is missing for what it was when
 * there was no such field.
 *
 * @param cluster the name of the cluster
 * @param clusterId null for a node that has no cluster yet, and for an administrator
 * @param node the name of the node; empty for an administrator
 * @param dataId the id of the node's data directory; null for an administrator
 * @param members the members of the cluster as the node knows them
 * @param known the versions that the node knows
 * @param clusterVersion the version of the cluster as the node knows it; 0 if it has no cluster
 */
public record Greeting(
        Kind kind,
        String cluster,
        @Nullable UUID clusterId,
        String node,
        @Nullable UUID dataId,
        MemberList members,
        KnownVersions known,
        int clusterVersion) {
    /** The maximum length of a name: names of strangers are logged. */
    private static final int MAX_NAME = 255;

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
        return new Greeting(
                Kind.ADMIN, cluster, null, "", null, MemberList.NONE, KnownVersions.CURRENT, 0);
    }

    /**
     * Returns the version of the frames that follow the greetings.
     *
     * @param node the name of the other side; empty for an administrator
     * @param others the versions that the other side knows
     * @throws RpcRefusedException if there is none that both sides know
     */
    public int frameVersion(String node, KnownVersions others) throws RpcRefusedException {
        int common = known.frameWith(others);
        if (common == 0) {
            throw new RpcRefusedException(
                    "%s and %s have no version of the protocol between nodes in common: %s, and %s"
                            .formatted(
                                    side(this.node),
                                    side(node),
                                    frames(this.node, known),
                                    frames(node, others)));
        }
        return common;
    }

    /**
     * Requires that this side knows the version of the cluster.
     *
     * @param version according to the other side
     */
    public void requireKnown(int version) throws RpcRefusedException {
        requireKnown(version, node, known);
    }

    /**
     * Requires that the other side knows the version of the cluster according to this side.
     *
     * @param node the name of the other side
     */
    public void requireClusterVersion(String node, KnownVersions others)
            throws RpcRefusedException {
        requireKnown(clusterVersion, node, others);
    }

    private static void requireKnown(int version, String node, KnownVersions known)
            throws RpcRefusedException {
        if (version > known.cluster()) {
            throw new RpcRefusedException(
                    "the cluster has the version %d, and %s knows the versions up to %d: upgrade %s"
                            .formatted(version, node, known.cluster(), node));
        }
    }

    private static String side(String node) {
        return node.isEmpty() ? "the command" : node;
    }

    private static String frames(String node, KnownVersions known) {
        return "%s knows %d to %d".formatted(side(node), known.lowestFrame(), known.highestFrame());
    }

    byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeShort(known.lowestFrame());
            out.writeShort(known.highestFrame());
            out.writeByte(kind.code);
            out.writeUTF(cluster);
            write(clusterId, out);
            out.writeUTF(node);
            write(dataId, out);
            members.write(out);
            out.writeShort(known.cluster());
            out.writeShort(clusterVersion);
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
            int lowestFrame = in.readUnsignedShort();
            int highestFrame = in.readUnsignedShort();
            return new Greeting(
                    Kind.of(in.readByte()),
                    readName(in),
                    readId(in),
                    readName(in),
                    readId(in),
                    MemberList.read(in),
                    new KnownVersions(lowestFrame, highestFrame, in.readUnsignedShort()),
                    in.readUnsignedShort());
        } catch (IllegalArgumentException e) {
            throw new IOException("bad greeting: " + e.getMessage(), e);
        }
    }

    private static String readName(DataInputStream in) throws IOException {
        String name = in.readUTF();
        if (name.length() > MAX_NAME) {
            throw new IOException("bad greeting: a name of " + name.length() + " characters");
        }
        return name;
    }

    private static @Nullable UUID readId(DataInputStream in) throws IOException {
        return in.readBoolean() ? new UUID(in.readLong(), in.readLong()) : null;
    }
}
