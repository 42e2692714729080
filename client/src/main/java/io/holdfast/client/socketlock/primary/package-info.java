/**
 * The right to be the primary of a socketlock path, shared by everything that can be one: at most
 * one process on the host has it, and it comes with what the one before has left. Start at {@link
 * io.holdfast.client.socketlock.primary.PrimaryLock#tryTake}.
 *
 * <p>Not meant for programs that only use locks.
 */
@NullMarked
package io.holdfast.client.socketlock.primary;

import org.jspecify.annotations.NullMarked;
