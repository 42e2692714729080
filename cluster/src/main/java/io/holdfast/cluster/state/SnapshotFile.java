package io.holdfast.cluster.state;

import io.holdfast.cluster.ClusterVersion;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * A snapshot of the state in a file: eight bytes with the magic number and the version of the
 * cluster, the state, and a checksum of both. It is written and read in one pass.
 */
public final class SnapshotFile {
    /** "HFSNAP" and the version. */
    private static final long MAGIC = 0x4846_534E_4150_0000L;

    private static final int BUFFER = 1 << 16;

    /** Writes the state. */
    public interface Writer {
        void write(DataOutput out) throws IOException;
    }

    /** Reads the state. */
    public interface Reader<T> {
        T read(DataInput in, int version) throws IOException;
    }

    private SnapshotFile() {}

    /**
     * Writes a file and syncs it to the disk.
     *
     * @param version the version of the cluster in the state
     */
    public static void write(Path file, int version, Writer state) throws IOException {
        try (FileOutputStream bare = new FileOutputStream(file.toFile())) {
            CheckedOutputStream checked =
                    new CheckedOutputStream(new BufferedOutputStream(bare, BUFFER), new CRC32C());
            DataOutputStream out = new DataOutputStream(checked);
            out.writeLong(MAGIC | version);
            state.write(out);
            out.flush();
            out.writeLong(checked.getChecksum().getValue());
            out.flush();
            bare.getFD().sync();
        }
    }

    /**
     * Reads a file.
     *
     * @param known the highest version of the cluster that this node knows
     * @throws IOException if the file is damaged, is not a snapshot, or has an unknown version; the
     *     message names the reason
     */
    public static <T> T read(Path file, int known, Reader<T> state) throws IOException {
        verify(file, known);
        try (InputStream bare = Files.newInputStream(file)) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(bare, BUFFER));
            int version = (int) (in.readLong() & 0xFF);
            return state.read(in, version);
        } catch (EOFException e) {
            throw new IOException(file + " is damaged: it ends too early", e);
        }
    }

    /**
     * Verifies the header and the checksum of a file.
     *
     * @param known the highest version of the cluster that this node knows
     * @throws IOException if the file is damaged, is not a snapshot, or has an unknown version
     */
    public static void verify(Path file, int known) throws IOException {
        try (InputStream bare = Files.newInputStream(file)) {
            CheckedInputStream checked =
                    new CheckedInputStream(new BufferedInputStream(bare, BUFFER), new CRC32C());
            DataInputStream in = new DataInputStream(checked);
            long head = in.readLong();
            if ((head & ~0xFFL) != MAGIC) {
                throw new IOException(file + " is not a snapshot of Holdfast");
            }
            int version = (int) (head & 0xFF);
            if (!ClusterVersion.isKnown(version, known)) {
                throw new IOException(
                        ClusterVersion.unknown("the snapshot " + file, version, known));
            }
            long left = Files.size(file) - 2L * Long.BYTES;
            if (left < 0) {
                throw new EOFException();
            }
            in.skipNBytes(left);
            long sum = checked.getChecksum().getValue();
            if (in.readLong() != sum) {
                throw new IOException(file + " is damaged: its checksum is wrong");
            }
        } catch (EOFException e) {
            throw new IOException(file + " is damaged: it ends too early", e);
        }
    }
}
