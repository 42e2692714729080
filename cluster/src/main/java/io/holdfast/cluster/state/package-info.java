/**
 * The replicated state: the engine, the fence counter, the nodes that serve and the signal
 * listeners. It changes only by entries of the log; it uses no clock, thread, socket or random
 * source.
 */
@NullMarked
package io.holdfast.cluster.state;

import org.jspecify.annotations.NullMarked;
