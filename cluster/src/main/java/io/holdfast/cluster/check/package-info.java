/**
 * Checks that the nodes have the same state: they hash it at the same entries of the log and
 * compare the hashes. Start at {@link io.holdfast.cluster.check.StateChecks}.
 */
@NullMarked
package io.holdfast.cluster.check;

import org.jspecify.annotations.NullMarked;
