package io.holdfast.cluster.raft;

/**
 * How much of the log there may be on the disk.
 *
 * @param snapshotBytes the state is written to a file after entries of so many bytes, and the log
 *     before it is forgotten
 * @param keptBytes so much of that stays, for nodes that are a little behind
 */
record LogLimits(long snapshotBytes, long keptBytes) {}
