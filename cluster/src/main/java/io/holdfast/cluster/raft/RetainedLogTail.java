package io.holdfast.cluster.raft;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Finds which of the last entries to keep when the log is purged: those of at most so many bytes.
 * What it tracks does not grow with the number of entries. One thread at a time.
 */
final class RetainedLogTail {
    /** It is exact to such a part of what is kept. */
    private static final int PARTS = 32;

    /** How many bytes of entries were applied, up to one of them. */
    private record Mark(long index, long bytes) {}

    private final long keptBytes;
    private final Deque<Mark> marks = new ArrayDeque<>();
    private long bytes;

    RetainedLogTail(long keptBytes) {
        this.keptBytes = keptBytes;
    }

    /** The next entry was applied. */
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

    /** The entries before have been replaced by a snapshot. */
    void clear() {
        marks.clear();
    }

    /**
     * The last entry that need not be kept.
     *
     * @param last the last one that was applied
     */
    long lastPurgeable(long last) {
        Mark first = marks.peekFirst();
        return first == null ? last : first.index;
    }
}
