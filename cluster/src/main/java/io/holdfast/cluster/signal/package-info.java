/**
 * Who listens to signals on all nodes, as a part of the replicated state. The door is {@link
 * io.holdfast.cluster.signal.ReplicatedSignals}.
 */
@NullMarked
package io.holdfast.cluster.signal;

import org.jspecify.annotations.NullMarked;
