/**
 * The signal listeners of all nodes, as a part of the replicated state. Start at {@link
 * io.holdfast.cluster.signal.ReplicatedSignals}.
 */
@NullMarked
package io.holdfast.cluster.signal;

import org.jspecify.annotations.NullMarked;
