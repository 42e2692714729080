package io.holdfast.cluster;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What a node reports to administrators, and to nodes without a cluster.
 *
 * @param clusterId the id of its cluster; null while it has none
 * @param dataId the id of its data directory
 * @param members the members of the cluster as it knows them
 * @param waiting what it waits for; null if it has a cluster
 * @param restored whom it admits to the cluster that it has formed from a backup; null if it has
 *     formed none, or a majority of its list has joined
 */
public record NodeReport(
        NodeStatus status,
        @Nullable UUID clusterId,
        UUID dataId,
        MemberList members,
        @Nullable Waiting waiting,
        @Nullable Restored restored) {
    /** The role of a node without a cluster. */
    public static final String WAITING = "waiting";

    /** The role of a node that has a cluster and has not yet started its Raft server. */
    public static final String STARTING = "starting";

    /** The role of a node that is in no member list that it knows. */
    public static final String JOINING = "joining";

    /** The role of a node whose state differs from that of others, and which has stopped. */
    public static final String DIVERGED = "diverged";

    /**
     * Nodes and commands of different versions exchange reports, so this stays as it is: later
     * versions only add fields at the end, which older readers ignore and newer ones can do
     * without.
     */
    private static final int VERSION = 3;

    private static final int MAX_COUNT = 10_000;

    /**
     * A node without a cluster.
     *
     * @param nodes the nodes of the cluster as configured
     * @param joins whether it waits to be added to a cluster, and forms none
     * @param backup the id of the backup in its data directory; empty if the directory is empty
     * @param reason what it waits for, as a sentence
     */
    public record Waiting(List<NodeAddress> nodes, boolean joins, String backup, String reason) {
        public Waiting {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * A node that has formed a cluster alone, from a restored backup, and does not serve until a
     * majority of its list has joined.
     *
     * @param admitted the data ids of the empty nodes that are to take the id of its cluster
     * @param reason what it waits for, as a sentence
     */
    public record Restored(Set<UUID> admitted, String reason) {
        public Restored {
            admitted = Set.copyOf(admitted);
        }
    }

    /** Returns what keeps the node from serving, as a sentence; null if it waits for no node. */
    public @Nullable String waitReason() {
        return waiting != null ? waiting.reason() : restored != null ? restored.reason() : null;
    }

    public byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(status.node());
            out.writeUTF(status.role());
            out.writeLong(status.term());
            out.writeUTF(status.leader() == null ? "" : status.leader());
            out.writeLong(status.commitIndex());
            out.writeLong(status.appliedIndex());
            out.writeBoolean(status.serving());
            out.writeInt(status.sessions());
            out.writeInt(status.peers().size());
            for (NodeStatus.Peer peer : status.peers()) {
                out.writeUTF(peer.node());
                out.writeUTF(peer.address());
                out.writeLong(peer.matchIndex());
                out.writeLong(peer.lastContactMillis());
            }
            out.writeUTF(clusterId == null ? "" : clusterId.toString());
            out.writeUTF(dataId.toString());
            members.write(out);
            out.writeBoolean(waiting != null);
            if (waiting != null) {
                out.writeInt(waiting.nodes().size());
                for (NodeAddress node : waiting.nodes()) {
                    node.write(out);
                }
                out.writeBoolean(waiting.joins());
                out.writeUTF(waiting.backup());
                out.writeUTF(waiting.reason());
            }
            out.writeBoolean(restored != null);
            if (restored != null) {
                out.writeInt(restored.admitted().size());
                for (UUID admitted : restored.admitted()) {
                    out.writeUTF(admitted.toString());
                }
                out.writeUTF(restored.reason());
            }
            out.writeShort(status.version());
            out.writeShort(status.knownVersion());
        } catch (IOException e) {
            throw new UncheckedIOException(e); // impossible: it is written to memory
        }
        return bytes.toByteArray();
    }

    /**
     * Parses what {@link #toBytes} wrote.
     *
     * @throws IOException if the bytes are not a report of a supported version
     */
    public static NodeReport of(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        if (in.readByte() < VERSION) {
            throw new IOException("unsupported version of the node's report: upgrade the node");
        }
        String node = in.readUTF();
        String role = in.readUTF();
        long term = in.readLong();
        String leader = in.readUTF();
        long commit = in.readLong();
        long applied = in.readLong();
        boolean serving = in.readBoolean();
        int sessions = in.readInt();
        List<NodeStatus.Peer> peers = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            peers.add(
                    new NodeStatus.Peer(in.readUTF(), in.readUTF(), in.readLong(), in.readLong()));
        }
        String clusterId = in.readUTF();
        UUID dataId = UUID.fromString(in.readUTF());
        MemberList members = MemberList.read(in);
        Waiting waiting = in.readBoolean() ? readWaiting(in) : null;
        Restored restored = in.readBoolean() ? readRestored(in) : null;
        NodeStatus status =
                new NodeStatus(
                        node,
                        role,
                        term,
                        leader.isEmpty() ? null : leader,
                        commit,
                        applied,
                        serving,
                        sessions,
                        in.readUnsignedShort(),
                        in.readUnsignedShort(),
                        peers);
        return new NodeReport(
                status,
                clusterId.isEmpty() ? null : UUID.fromString(clusterId),
                dataId,
                members,
                waiting,
                restored);
    }

    private static Restored readRestored(DataInputStream in) throws IOException {
        Set<UUID> admitted = new HashSet<>();
        for (int left = count(in); left > 0; left--) {
            admitted.add(UUID.fromString(in.readUTF()));
        }
        return new Restored(admitted, in.readUTF());
    }

    private static Waiting readWaiting(DataInputStream in) throws IOException {
        List<NodeAddress> nodes = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            nodes.add(NodeAddress.read(in));
        }
        return new Waiting(nodes, in.readBoolean(), in.readUTF(), in.readUTF());
    }

    private static int count(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MAX_COUNT) {
            throw new IOException("malformed report from the node");
        }
        return count;
    }
}
