/**
 * The lockd line protocol: one line a command, answers of a line, of several or of none. {@link
 * io.holdfast.protocol.lockd.LockdDecoder} finds the lines, {@link
 * io.holdfast.protocol.lockd.LockdSyntax} reads them, {@link
 * io.holdfast.protocol.lockd.LockdEncoder} writes the answers. No lock state, no channel.
 */
@NullMarked
package io.holdfast.protocol.lockd;

import org.jspecify.annotations.NullMarked;
