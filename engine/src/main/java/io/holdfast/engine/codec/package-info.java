/**
 * The primitive values of a snapshot: numbers, flags, byte strings, keys and deadlines. {@link
 * io.holdfast.engine.codec.SnapshotOutput} writes what {@link
 * io.holdfast.engine.codec.SnapshotInput} reads; the packages that own the state decide which
 * values, and in which order. Public for the engine only.
 */
@NullMarked
package io.holdfast.engine.codec;

import org.jspecify.annotations.NullMarked;
