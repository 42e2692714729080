package io.holdfast.cluster.entry;

/**
 * The time of a log entry, by the monotonic clock of the leader that appended it.
 *
 * @param nanos when the entry was appended
 * @param dueNanos what was due by then expires with the entry; earlier than {@code nanos} after a
 *     pause of the leader, until renewals that were sent meanwhile have reached the log
 */
public record EntryTime(long nanos, long dueNanos) {
    /** The length of an encoded time. */
    public static final int BYTES = 2 * Long.BYTES;

    /** Returns the time of an entry that holds back no expiry. */
    public static EntryTime of(long nanos) {
        return new EntryTime(nanos, nanos);
    }
}
