/** Starts a node: assembles the driver, the log and their threads. */
@NullMarked
package io.holdfast.cluster.bootstrap;

import org.jspecify.annotations.NullMarked;
