/**
 * Read/write locks between the processes of one host over a Unix socket, with no daemon to run: one
 * of the processes, the primary, serves the others; when it ends, another becomes the primary.
 * Start at {@link io.holdfast.socketlock.SocketLockClient}.
 *
 * <p>One thread per client does all I/O ({@code IoThread}). Invariants: a path has at most one
 * primary, and a lock is not reported as valid while another client holds it.
 */
@NullMarked
package io.holdfast.socketlock;

import org.jspecify.annotations.NullMarked;
