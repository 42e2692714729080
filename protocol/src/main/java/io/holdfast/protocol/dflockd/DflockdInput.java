package io.holdfast.protocol.dflockd;

/** What came in: a request, or a reason to close the connection. */
public sealed interface DflockdInput {
    record Request(DflockdRequest request) implements DflockdInput {}

    /**
     * A request in tagged mode.
     *
     * @param tag what its answer begins with; 0 if it had none, or no valid one
     */
    record Tagged(long tag, DflockdRequest request) implements DflockdInput {}

    /** A line was longer than allowed; it has been thrown away up to its end. */
    record LineTooLong() implements DflockdInput {}

    /** The first line is that of an HTTP request: a web page must not be able to speak to us. */
    record LooksLikeHttp() implements DflockdInput {}
}
