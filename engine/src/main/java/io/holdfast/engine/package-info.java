/**
 * Decides who holds which key, and for how long, and keeps counters, values and lists. The only
 * door is {@link io.holdfast.engine.LockEngine#apply}: commands in, effects out. One thread at a
 * time; no clock, socket, file or random source. Never true in here: two holders in a slot, a fence
 * given out twice, a waiter overtaken.
 */
@NullMarked
package io.holdfast.engine;

import org.jspecify.annotations.NullMarked;
