/**
 * What the log carries, as values and as bytes. The bytes stay readable: a new version of them is a
 * new number in front, never a new meaning of an old one.
 */
@NullMarked
package io.holdfast.cluster.entry;

import org.jspecify.annotations.NullMarked;
