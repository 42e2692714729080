/**
 * The lock engine: decides which session holds which key, and for how long, and stores counters,
 * values and lists. The only entry point is {@link io.holdfast.engine.LockEngine#apply}: commands
 * in, effects out. Not thread-safe; uses no clock, socket, file or random source. Invariants: a
 * slot has at most one holder, a fence is issued once, and first come, first served unless a {@link
 * io.holdfast.engine.QueuePolicy} says otherwise.
 */
@NullMarked
package io.holdfast.engine;

import org.jspecify.annotations.NullMarked;
