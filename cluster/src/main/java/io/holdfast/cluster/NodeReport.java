package io.holdfast.cluster;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node reports to administrators.
 *
 * @param names the names of all nodes that have ever served: none of them may be used for a new
 *     node
 */
public record NodeReport(NodeStatus status, List<String> names) {
    /** Later versions only add fields at the end, which older readers ignore. */
    private static final int VERSION = 1;

    private static final int MAX_COUNT = 10_000;

    public NodeReport {
        names = List.copyOf(names);
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
            out.writeInt(names.size());
            for (String name : names) {
                out.writeUTF(name);
            }
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
            throw new IOException(
                    "unsupported version of the node's report: upgrade holdfast on this machine");
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
        List<String> names = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            names.add(in.readUTF());
        }
        return new NodeReport(
                new NodeStatus(
                        node,
                        role,
                        term,
                        leader.isEmpty() ? null : leader,
                        commit,
                        applied,
                        serving,
                        sessions,
                        peers),
                names);
    }

    private static int count(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MAX_COUNT) {
            throw new IOException("malformed report from the node");
        }
        return count;
    }
}
