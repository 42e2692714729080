package io.holdfast.cluster.raft;

import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A part of a node's newest snapshot, for an administrator. The node keeps nothing between two
 * requests: each names the snapshot and the position, so an abandoned download costs nothing.
 *
 * @param name the file name of the snapshot
 * @param size the size of the snapshot
 * @param offset the position of the data in the snapshot
 */
record SnapshotChunk(String name, long size, long offset, ByteString data) {
    /** The maximum size of an encoded chunk. */
    static final int MAX_BYTES = 256 * 1024;

    private static final int MAX_NAME_BYTES = 100;
    private static final int MAX_DATA_BYTES =
            MAX_BYTES - MAX_NAME_BYTES - 2 * Long.BYTES - Integer.BYTES;

    boolean isLast() {
        return offset + data.size() >= size;
    }

    /**
     * Encodes a request for a chunk.
     *
     * @param name the file name of the snapshot; empty for the newest one
     */
    static byte[] request(String name, long offset) {
        return ByteBuffer.allocate(Integer.BYTES + name.length() + Long.BYTES)
                .putInt(name.length())
                .put(ascii(name))
                .putLong(offset)
                .array();
    }

    /**
     * Reads the chunk that a request asks for.
     *
     * @param snapshots the directory of the snapshots
     * @throws IOException if the snapshot is not the newest one any more, or there is none
     */
    static SnapshotChunk read(Path snapshots, byte[] request) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(request);
        String wanted = name(in);
        if (in.remaining() != Long.BYTES) {
            throw new IOException("malformed request");
        }
        long offset = in.getLong();
        Path newest =
                LogIntegrityCheck.newestSnapshotFile(snapshots)
                        .orElseThrow(() -> new IOException("the node has no snapshot"));
        String name = String.valueOf(newest.getFileName());
        if (!wanted.isEmpty() && !wanted.equals(name)) {
            throw new IOException("the node has written a newer snapshot meanwhile");
        }
        try (FileChannel file = FileChannel.open(newest, StandardOpenOption.READ)) {
            long size = file.size();
            if (offset < 0 || offset > size) {
                throw new IOException("malformed request");
            }
            ByteBuffer data = ByteBuffer.allocate((int) Math.min(MAX_DATA_BYTES, size - offset));
            while (data.hasRemaining()) {
                if (file.read(data, offset + data.position()) < 0) {
                    throw new IOException("the snapshot " + newest + " is incomplete");
                }
            }
            return new SnapshotChunk(
                    name, size, offset, UnsafeByteOperations.unsafeWrap(data.array()));
        } catch (NoSuchFileException e) {
            throw new IOException("the node has written a newer snapshot meanwhile", e);
        }
    }

    byte[] encode() {
        return ByteBuffer.allocate(Integer.BYTES + name.length() + 2 * Long.BYTES + data.size())
                .putInt(name.length())
                .put(ascii(name))
                .putLong(size)
                .putLong(offset)
                .put(data.asReadOnlyByteBuffer())
                .array();
    }

    static SnapshotChunk decode(byte[] bytes) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        String name = name(in);
        if (in.remaining() < 2 * Long.BYTES) {
            throw new IOException("malformed response from the node");
        }
        return new SnapshotChunk(name, in.getLong(), in.getLong(), ByteString.copyFrom(in));
    }

    private static String name(ByteBuffer in) throws IOException {
        int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
        if (length < 0 || length > Math.min(MAX_NAME_BYTES, in.remaining())) {
            throw new IOException("malformed name of a snapshot");
        }
        byte[] name = new byte[length];
        in.get(name);
        return new String(name, StandardCharsets.US_ASCII);
    }

    private static byte[] ascii(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }
}
