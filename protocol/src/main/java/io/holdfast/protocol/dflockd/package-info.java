/**
 * The dflockd line protocol: three lines a request, one line an answer. {@link
 * io.holdfast.protocol.dflockd.DflockdDecoder} finds the lines, {@link
 * io.holdfast.protocol.dflockd.DflockdSyntax} reads them, {@link
 * io.holdfast.protocol.dflockd.DflockdEncoder} writes the answers. No lock state, no channel.
 */
@NullMarked
package io.holdfast.protocol.dflockd;

import org.jspecify.annotations.NullMarked;
