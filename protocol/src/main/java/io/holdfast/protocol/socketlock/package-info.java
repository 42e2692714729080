/**
 * The socketlock line protocol: lines in, and lines out, some of them unasked. {@link
 * io.holdfast.protocol.socketlock.SocketlockDecoder} finds the lines, {@link
 * io.holdfast.protocol.socketlock.SocketlockSyntax} reads them, {@link
 * io.holdfast.protocol.socketlock.SocketlockEncoder} writes the answers. No lock state, no channel.
 */
@NullMarked
package io.holdfast.protocol.socketlock;

import org.jspecify.annotations.NullMarked;
