/**
 * Replicates the engine to several machines. Start at {@link io.holdfast.cluster.entry.LogEntry},
 * the contents of the log; then {@code state}, the state machine that applies it; then {@code
 * driver}, which serves the clients of a node through it.
 */
@NullMarked
package io.holdfast.cluster;

import org.jspecify.annotations.NullMarked;
