package io.holdfast.cluster.raft;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * What is in a file of Ratis's log: a header; entries, each with its length before it and a
 * checksum of both after it; and zeros up to the size the file was given beforehand.
 */
final class SegmentBytes {
    private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);

    /** Disks and file systems write pieces of this size, or multiples of it. */
    private static final int SECTOR = 512;

    /** Entries seldom have more zeros in a row. */
    private static final int FEW_ZEROS = 16;

    /** Every entry begins with its term. */
    private static final int TERM = 0x08;

    private static final int MOST_PREFIX = 5;

    private final byte[] bytes;

    /** Where the zeros begin that it ends with. */
    private final int content;

    private int position;
    private long entries;

    SegmentBytes(byte[] bytes) {
        this.bytes = bytes;
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

    /** Whether it was made and nothing was written to it, or not even all of the header. */
    boolean isHeaderUnfinished() {
        return content < HEADER.length && Arrays.equals(bytes, 0, content, HEADER, 0, content);
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

    /**
     * Whether the next is an entry that was being written at the end of a process or a machine: one
     * that stops where the file does, or in zeros from the border of two sectors on, and nothing
     * after it.
     */
    boolean isUnfinished() {
        for (int i = position + 1; i < content; i++) {
            if (entryEnd(i) > 0) {
                return false;
            }
        }
        int toBorder = Math.floorMod(-content, SECTOR);
        return claimedEnd(position) > content && (content == bytes.length || toBorder < FEW_ZEROS);
    }

    /** Where an entry ends that begins here; -1 if none does. */
    private int entryEnd(int start) {
        long end = claimedEnd(start);
        int data = start + prefixLength(start);
        if (end > bytes.length || data >= bytes.length || bytes[data] != TERM) {
            return -1;
        }
        int sumAt = (int) end - Integer.BYTES;
        CRC32C sum = new CRC32C();
        sum.update(bytes, start, sumAt - start);
        return ByteBuffer.wrap(bytes).getInt(sumAt) == (int) sum.getValue() ? (int) end : -1;
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
        while (length < MOST_PREFIX
                && start + length <= bytes.length
                && (bytes[start + length - 1] & 0x80) != 0) {
            length++;
        }
        return length;
    }
}
