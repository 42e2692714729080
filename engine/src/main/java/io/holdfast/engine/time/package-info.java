/**
 * Deadlines: what ends at which time. Scheduling and removing take constant time, because most
 * deadlines are removed before they are due. Start at {@link io.holdfast.engine.time.Deadlines}.
 * Public for the engine only; there is no clock here, the caller passes the time.
 */
@NullMarked
package io.holdfast.engine.time;

import org.jspecify.annotations.NullMarked;
