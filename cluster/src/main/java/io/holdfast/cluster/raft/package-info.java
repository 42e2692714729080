/** The log itself, by Apache Ratis. Only its write path is used to decide anything. */
@NullMarked
package io.holdfast.cluster.raft;

import org.jspecify.annotations.NullMarked;
