package io.holdfast.cluster.raft;

import org.apache.ratis.thirdparty.com.google.protobuf.CodedInputStream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * What is in a file of Ratis's log: a header; entries, each with its length before it and a
 * checksum of both after it; and zeros up to the size the file was given beforehand.
 */
final class LogSegmentReader {
    private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);

    /** Every entry begins with its term and, if it is not 0, its index. */
    private static final int TERM = 0x08;

    private static final int INDEX = 0x10;
    private static final int MAX_PREFIX = 5;

    private final byte[] bytes;
    private final long firstIndex;

    /** Where the zeros begin that it ends with. */
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

    /** Reads on until the end, or what is no entry. */
    void readEntries() {
        position = HEADER.length;
        for (int end = entryEnd(position); end > 0; end = entryEnd(position)) {
            position = end;
            entries++;
        }
    }

    /** How many were read. */
    long entries() {
        return entries;
    }

    /** Where the last that was read ends. */
    int position() {
        return position;
    }

    boolean isAtEnd() {
        return content <= position;
    }

    /** How many bytes are behind that, without the zeros at the end. */
    int unreadable() {
        return Math.max(0, content - position);
    }

    /** Where an entry ends that begins here; -1 if none does. */
    private int entryEnd(int start) {
        long end = claimedEnd(start);
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

    /** The index of the entry between two positions; -1 if there is none. */
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

    /** Where an entry would end that begins here, as its length says. */
    private long claimedEnd(int start) {
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
