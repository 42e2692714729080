/**
 * The same engine on several machines. Start at {@link io.holdfast.cluster.entry.LogEntry}, what
 * the log carries, then {@code state}, what it means, and {@code node}, how a node serves its
 * clients by it.
 */
@NullMarked
package io.holdfast.cluster;

import org.jspecify.annotations.NullMarked;
