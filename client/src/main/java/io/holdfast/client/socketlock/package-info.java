/**
 * Read/write locks between the processes of one host over a Unix socket, with no daemon to run: one
 * of the processes serves the others, and when it ends another takes its place. Start at {@link
 * io.holdfast.client.socketlock.SocketLockClient}.
 *
 * <p>One thread per client does all the input and output ({@code Loop}). Never true in here: two
 * primaries of one path, a lock that looks valid while somebody else has it.
 */
@NullMarked
package io.holdfast.client.socketlock;

import org.jspecify.annotations.NullMarked;
