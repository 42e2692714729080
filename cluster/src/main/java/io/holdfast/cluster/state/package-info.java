/**
 * What all nodes agree on: the engine, the fence counter, who serves and who listens. It moves only
 * by entries of the log; no clock, thread, socket or random source.
 */
@NullMarked
package io.holdfast.cluster.state;

import org.jspecify.annotations.NullMarked;
