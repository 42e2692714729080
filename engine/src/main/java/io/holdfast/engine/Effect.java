package io.holdfast.engine;

/** What to tell which session: the answer to the request of that number. */
public sealed interface Effect {
    long session();

    long request();

    /** The session holds a slot now. */
    record Granted(long session, long request, Key key, Token token, long leaseNanos)
            implements Effect {}

    /** An enqueue joined the line. */
    record Queued(long session, long request) implements Effect {}

    record Released(long session, long request) implements Effect {}

    record Renewed(long session, long request, long leaseNanos) implements Effect {}

    /** The wait ran out; the place in line is given up. */
    record TimedOut(long session, long request) implements Effect {}

    /** {@link Command.Cancel} ended the request. */
    record Cancelled(long session, long request) implements Effect {}

    /** The request changed nothing. */
    record Refused(long session, long request, Refusal reason) implements Effect {}
}
