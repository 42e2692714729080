package io.holdfast.protocol.lockd;

import io.holdfast.engine.ByteString;
import io.holdfast.protocol.text.Whitespace;

/**
 * The grammar: parses a line, or a WebSocket message, into a command. Malformed input gives {@link
 * LockdDecoderResult.Invalid}.
 */
public final class LockdSyntax {
    static final LockdDecoderResult INVALID = new LockdDecoderResult.Invalid();

    private LockdSyntax() {}

    /** Parses one command, given without its line feed. */
    public static LockdDecoderResult parse(byte[] line) {
        int start = 0;
        int end = line.length;
        for (int length = 1; start < end && length > 0; start += length) {
            length = Whitespace.lengthAt(line, start, end);
        }
        for (int length = 1; start < end && length > 0; end -= length) {
            length = Whitespace.lengthBefore(line, start, end);
        }
        int verbEnd = start;
        while (verbEnd < end && line[verbEnd] != ' ') {
            verbEnd++;
        }
        LockdVerb verb = LockdVerb.of(line, start, verbEnd);
        return verb == null
                ? INVALID
                : new LockdDecoderResult.Command(
                        verb, ByteString.of(Whitespace.normalise(line, verbEnd, end)));
    }
}
