/**
 * Serves the clients of one node through the log: it proposes their commands, exactly once and in
 * order, and delivers the effects that this node's replica produces.
 */
@NullMarked
package io.holdfast.cluster.driver;

import org.jspecify.annotations.NullMarked;
