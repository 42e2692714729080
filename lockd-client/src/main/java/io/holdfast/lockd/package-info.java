/**
 * A client for servers that speak lockd: Holdfast, glockd, lockd. Start at {@link
 * io.holdfast.lockd.LockdClient}. Callers wait in their own threads; one background thread per
 * client owns the socket and all protocol state. Invariants: a response is only given to its own
 * command, every wait has a timeout, and every buffer has a limit.
 */
@NullMarked
package io.holdfast.lockd;

import org.jspecify.annotations.NullMarked;
