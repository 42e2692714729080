package io.holdfast.cluster.check;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The hashes of the states of the nodes after an entry of the log.
 *
 * @param nodes the members of the cluster
 */
public record StateCheckReport(long index, List<Node> nodes) {
    private static final int VERSION = 1;
    private static final int MAX_COUNT = 10_000;

    /**
     * The result of a node.
     *
     * @param hash null if the node has reported none
     * @param diverged whether its state was found to differ, now or before
     */
    public record Node(String name, @Nullable Long hash, boolean diverged) {}

    public StateCheckReport {
        nodes = List.copyOf(nodes);
    }

    /** Whether the states of nodes were found to differ. */
    public boolean isDiverged() {
        return nodes.stream().anyMatch(Node::diverged);
    }

    /** Returns a hash as it is shown. */
    public static String text(long hash) {
        return HexFormat.of().toHexDigits(hash);
    }

    public byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeLong(index);
            out.writeInt(nodes.size());
            for (Node node : nodes) {
                out.writeUTF(node.name());
                out.writeBoolean(node.hash() != null);
                out.writeLong(node.hash() == null ? 0 : node.hash());
                out.writeBoolean(node.diverged());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e); // impossible: it is written to memory
        }
        return bytes.toByteArray();
    }

    /**
     * Parses what {@link #toBytes} wrote.
     *
     * @throws IOException if the bytes are not a report of this version
     */
    public static StateCheckReport of(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        if (in.readByte() != VERSION) {
            throw new IOException("unsupported version of the report of a check");
        }
        long index = in.readLong();
        int count = in.readInt();
        if (count < 0 || count > MAX_COUNT) {
            throw new IOException("malformed report of a check");
        }
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = in.readUTF();
            boolean known = in.readBoolean();
            long hash = in.readLong();
            nodes.add(new Node(name, known ? hash : null, in.readBoolean()));
        }
        return new StateCheckReport(index, nodes);
    }
}
