package io.holdfast.protocol.lockd;

import io.holdfast.engine.ByteString;

/** The result of decoding. */
public sealed interface LockdDecoderResult {
    /**
     * A command and its argument with whitespace normalized to single spaces; empty for no
     * argument.
     */
    record Command(LockdVerb verb, ByteString argument) implements LockdDecoderResult {}

    /** An unknown or missing verb, or a line that was too long: counted, without a response. */
    record Invalid() implements LockdDecoderResult {}

    /** The first line is that of an HTTP request: a web page must not be able to send commands. */
    record LooksLikeHttp() implements LockdDecoderResult {}
}
