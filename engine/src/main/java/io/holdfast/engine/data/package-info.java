/**
 * Counters, values and lists, which belong to no session and are independent of locks. Start at
 * {@link io.holdfast.engine.data.DataStore}. It is public for the engine only: other modules send
 * {@link io.holdfast.engine.Command.Data} and read {@link io.holdfast.engine.lock.EngineViews}.
 */
@NullMarked
package io.holdfast.engine.data;

import org.jspecify.annotations.NullMarked;
