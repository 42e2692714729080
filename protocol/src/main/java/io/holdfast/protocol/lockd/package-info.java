/**
 * The lockd line protocol: one line per command, and responses of no, one or several lines. {@link
 * io.holdfast.protocol.lockd.LockdDecoder} splits the input into lines, {@link
 * io.holdfast.protocol.lockd.LockdSyntax} parses them, {@link
 * io.holdfast.protocol.lockd.LockdEncoder} writes the responses. No lock state, no Netty channel.
 */
@NullMarked
package io.holdfast.protocol.lockd;

import org.jspecify.annotations.NullMarked;
