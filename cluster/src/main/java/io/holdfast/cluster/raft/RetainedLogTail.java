package io.holdfast.cluster.raft;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Finds the last entries that are kept when the log is purged: those whose total size is within a
 * limit in bytes. Its memory does not grow with the number of entries. Used by one thread at a
 * time.
 */
final class RetainedLogTail {
    /** The number of marks: the kept size is exact to the limit divided by it. */
    private static final int PARTS = 32;

    /** The number of bytes of entries applied, up to and including an index. */
    private record Mark(long index, long bytes) {}

    private final long keptBytes;
    private final Deque<Mark> marks = new ArrayDeque<>();
    private long bytes;

    RetainedLogTail(long keptBytes) {
        this.keptBytes = keptBytes;
    }

    /** Records that the next entry was applied. */
    void applied(long index, long size) {
        bytes += size;
        Mark last = marks.peekLast();
        if (last == null || bytes - last.bytes >= keptBytes / PARTS) {
            marks.addLast(new Mark(index, bytes));
        }
        while (bytes - marks.getFirst().bytes > keptBytes) {
            marks.removeFirst();
        }
    }

    /** Forgets all entries: they have been replaced by a snapshot. */
    void clear() {
        marks.clear();
    }

    /**
     * Returns the index of the last entry that can be purged.
     *
     * @param last the index of the last entry that was applied
     */
    long lastPurgeable(long last) {
        Mark first = marks.peekFirst();
        return first == null ? last : first.index;
    }
}
