package io.holdfast.cluster.raft;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedInputStream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Reads a segment file of Ratis's log: a header; entries, each preceded by its length and followed
 * by a checksum of both; and zeros up to the preallocated size.
 */
final class LogSegmentReader {
    private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);

    /** Protobuf tags: an entry begins with its term and, unless it is 0, its index. */
    private static final int TERM = 0x08;

    private static final int INDEX = 0x10;
    private static final int MAX_PREFIX = 5;

    private final byte[] bytes;
    private final long firstIndex;

    /** The position of the zeros at the end. */
    private final int content;

    private int position;
    private long entries;

    LogSegmentReader(byte[] bytes, long firstIndex) {
        this.bytes = bytes;
        this.firstIndex = firstIndex;
        int last = bytes.length;
        while (last > 0 && bytes[last - 1] == 0) {
            last--;
        }
        this.content = last;
    }

    boolean hasHeader() {
        return bytes.length >= HEADER.length
                && Arrays.equals(bytes, 0, HEADER.length, HEADER, 0, HEADER.length);
    }

    /** Gets the entries of a segment, in order. */
    interface EntryConsumer {
        void accept(LogEntryProto entry) throws IOException;
    }

    /** Reads entries until the end or the first bytes that are not a valid entry. */
    void readEntries() {
        position = HEADER.length;
        for (int end = entryEnd(position); end > 0; end = entryEnd(position)) {
            position = end;
            entries++;
        }
    }

    /** As {@link #readEntries()}, and passes each entry on. */
    void readEntries(EntryConsumer to) throws IOException {
        position = HEADER.length;
        for (int end = entryEnd(position); end > 0; end = entryEnd(position)) {
            int data = position + prefixLength(position);
            to.accept(
                    LogEntryProto.parseFrom(
                            CodedInputStream.newInstance(bytes, data, end - Integer.BYTES - data)));
            position = end;
            entries++;
        }
    }

    /** Returns the number of entries read. */
    long entries() {
        return entries;
    }

    /** Returns the end of the last entry that was read. */
    int position() {
        return position;
    }

    boolean isAtEnd() {
        return content <= position;
    }

    /** Returns the number of bytes after {@link #position}, without the zeros at the end. */
    int unreadable() {
        return Math.max(0, content - position);
    }

    /** Returns the end of the entry that begins at a position; -1 if there is no valid entry. */
    private int entryEnd(int start) {
        long end = statedEnd(start);
        int data = start + prefixLength(start);
        if (end > bytes.length || data >= bytes.length) {
            return -1;
        }
        int sumAt = (int) end - Integer.BYTES;
        if (index(data, sumAt) != firstIndex + entries) {
            return -1;
        }
        CRC32C sum = new CRC32C();
        sum.update(bytes, start, sumAt - start);
        return ByteBuffer.wrap(bytes).getInt(sumAt) == (int) sum.getValue() ? (int) end : -1;
    }

    /** Returns the index of the entry between two positions; -1 if it cannot be read. */
    private long index(int start, int end) {
        CodedInputStream in = CodedInputStream.newInstance(bytes, start, end - start);
        try {
            if (in.readTag() != TERM) {
                return -1;
            }
            var _ = in.readUInt64();
            return in.readTag() == INDEX ? in.readUInt64() : 0;
        } catch (IOException e) { // too short
            return -1;
        }
    }

    /** Returns the end of the entry that begins at a position, according to its length prefix. */
    private long statedEnd(int start) {
        long length = 0;
        int prefix = prefixLength(start);
        for (int i = 0; i < prefix && start + i < bytes.length; i++) {
            length |= (bytes[start + i] & 0x7FL) << (7 * i);
        }
        return start + prefix + length + Integer.BYTES;
    }

    private int prefixLength(int start) {
        int length = 1;
        while (length < MAX_PREFIX
                && start + length <= bytes.length
                && (bytes[start + length - 1] & 0x80) != 0) {
            length++;
        }
        return length;
    }
}
