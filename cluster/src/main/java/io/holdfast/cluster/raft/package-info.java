/**
 * The replicated log, by Apache Ratis. Commands use only its write path; the only reads are status
 * queries of a single node.
 */
@NullMarked
package io.holdfast.cluster.raft;

import org.jspecify.annotations.NullMarked;
