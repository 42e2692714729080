/** How a node gets its cluster: a new one with the listed nodes, or one that runs. */
@NullMarked
package io.holdfast.cluster.formation;

import org.jspecify.annotations.NullMarked;
