package io.holdfast.protocol.lockd;

import io.holdfast.engine.ByteString;
import io.holdfast.protocol.text.Whitespace;

/** The grammar: a line, or a WebSocket message, to a command. Bad input is {@code Invalid}. */
public final class LockdSyntax {
    static final LockdInput INVALID = new LockdInput.Invalid();

    private LockdSyntax() {}

    /** Reads one command, without the line feed that ended it. */
    public static LockdInput parse(byte[] line) {
        int start = 0;
        int end = line.length;
        for (int blank = 1; start < end && blank > 0; start += blank) {
            blank = Whitespace.lengthAt(line, start, end);
        }
        for (int blank = 1; start < end && blank > 0; end -= blank) {
            blank = Whitespace.lengthBefore(line, start, end);
        }
        int wordEnd = start;
        while (wordEnd < end && line[wordEnd] != ' ') {
            wordEnd++;
        }
        LockdVerb word = LockdVerb.of(line, start, wordEnd);
        return word == null
                ? INVALID
                : new LockdInput.Command(
                        word, ByteString.of(Whitespace.normalise(line, wordEnd, end)));
    }
}
