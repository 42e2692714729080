package io.holdfast.protocol.lockd;

import io.holdfast.engine.ByteString;

/** What came in. */
public sealed interface LockdInput {
    /** A command, its argument with single blanks; empty for none. */
    record Command(LockdVerb verb, ByteString argument) implements LockdInput {}

    /** An unknown or missing word, or a line that was too long: counted, and not answered. */
    record Invalid() implements LockdInput {}

    /** The first line is that of an HTTP request: a web page must not be able to speak to us. */
    record LooksLikeHttp() implements LockdInput {}
}
