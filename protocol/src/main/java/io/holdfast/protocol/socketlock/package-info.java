/**
 * The socketlock line protocol: one line per request, and lines to the client, some of them
 * unsolicited. {@link io.holdfast.protocol.socketlock.SocketlockDecoder} splits the input into
 * lines, {@link io.holdfast.protocol.socketlock.SocketlockSyntax} parses them, {@link
 * io.holdfast.protocol.socketlock.SocketlockEncoder} writes lines. No lock state, no Netty channel.
 */
@NullMarked
package io.holdfast.protocol.socketlock;

import org.jspecify.annotations.NullMarked;
