package io.holdfast.protocol.dflockd;

/** The result of decoding: a request, or a reason to close the connection. */
public sealed interface DflockdDecoderResult {
    record Request(DflockdRequest request) implements DflockdDecoderResult {}

    /**
     * A request in tagged mode.
     *
     * @param tag the tag that its response begins with; 0 if it was missing or invalid
     */
    record Tagged(long tag, DflockdRequest request) implements DflockdDecoderResult {}

    /** A line was too long; it has been discarded up to its end. */
    record LineTooLong() implements DflockdDecoderResult {}

    /** The first line is that of an HTTP request: a web page must not be able to send commands. */
    record LooksLikeHttp() implements DflockdDecoderResult {}
}
