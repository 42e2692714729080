package io.holdfast.client.service;

/** How an acquire ended. */
public sealed interface AcquireOutcome {
    /** It is held. If nobody wants it any more it must be released. */
    record Granted(GrantedHold hold) implements AcquireOutcome {}

    record TimedOut() implements AcquireOutcome {}

    record Cancelled() implements AcquireOutcome {}

    record Failed(ServiceException failure) implements AcquireOutcome {}
}
