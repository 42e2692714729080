/**
 * A whole cluster in one thread: drivers, sessions and forwarding as they are, over a log, a
 * network and clocks that are made up. One number decides everything that happens.
 */
@NullMarked
package io.holdfast.cluster.simulation;

import org.jspecify.annotations.NullMarked;
