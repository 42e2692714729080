/**
 * The dflockd line protocol: three lines per request, one line per response. {@link
 * io.holdfast.protocol.dflockd.DflockdDecoder} splits the input into lines, {@link
 * io.holdfast.protocol.dflockd.DflockdSyntax} parses them, {@link
 * io.holdfast.protocol.dflockd.DflockdEncoder} writes the responses. No lock state, no Netty
 * channel.
 */
@NullMarked
package io.holdfast.protocol.dflockd;

import org.jspecify.annotations.NullMarked;
