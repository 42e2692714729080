/**
 * A client for servers that speak lockd: Holdfast, glockd, lockd. Start at {@link
 * io.holdfast.client.lockd.LockdClient}. Callers wait in their own threads; one background thread
 * per client owns the socket and every rule of the conversation. Never true in here: an answer
 * given to a command other than its own, a wait without an end, a buffer without a bound.
 */
@NullMarked
package io.holdfast.client.lockd;

import org.jspecify.annotations.NullMarked;
