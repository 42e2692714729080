package io.holdfast.cluster.raft;

/**
 * Limits to the size of the log on the disk.
 *
 * @param snapshotEntries the number of entries after which a snapshot is written and the log before
 *     it is purged
 * @param snapshotBytes the size of entries in bytes after which the same is done
 * @param keptBytes the size in bytes of the entries before a snapshot that are kept for nodes that
 *     are slightly behind
 */
record LogSizeLimits(long snapshotEntries, long snapshotBytes, long keptBytes) {}
