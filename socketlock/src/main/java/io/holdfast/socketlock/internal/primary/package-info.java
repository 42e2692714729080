/**
 * The right to be the primary of a socketlock path, for the client and the server: at most one
 * process of the host has it. It comes with the holds that the previous primary has listed. Start
 * at {@link io.holdfast.socketlock.internal.primary.PrimaryLock#tryTake}.
 *
 * <p>Not intended for applications.
 */
@NullMarked
package io.holdfast.socketlock.internal.primary;

import org.jspecify.annotations.NullMarked;
