/**
 * The vocabulary of the engine: commands in, effects out, and the types they are made of. Every
 * package of the engine and every module above it uses this package, and it uses none of them. The
 * entry point is {@link io.holdfast.engine.lock.LockEngine#apply}.
 *
 * <p>The engine decides which session holds which key, and for how long, and stores counters,
 * values and lists. Not thread-safe; uses no clock, socket, file or random source. Invariants: a
 * slot has at most one holder, a fence is issued once, and first come, first served unless a {@link
 * io.holdfast.engine.QueuePolicy} says otherwise.
 */
@NullMarked
package io.holdfast.engine;

import org.jspecify.annotations.NullMarked;
