package io.holdfast.cluster.raft;

/**
 * How much of the log there may be on the disk.
 *
 * @param snapshotEntries the state is written to a file after so many entries, and the log before
 *     it is forgotten
 * @param snapshotBytes or after entries of so many bytes
 * @param keptBytes so much of that stays, for nodes that are a little behind
 */
record LogSizeLimits(long snapshotEntries, long snapshotBytes, long keptBytes) {}
