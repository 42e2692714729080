/**
 * The contents of the log, as values and as bytes. The encoding stays readable: a change gets a new
 * version number in front, never a new meaning of an old one.
 */
@NullMarked
package io.holdfast.cluster.entry;

import org.jspecify.annotations.NullMarked;
