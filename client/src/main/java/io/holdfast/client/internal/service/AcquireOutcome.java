package io.holdfast.client.internal.service;

/** How an acquire ended. */
public sealed interface AcquireOutcome {
    /** Granted. A receiver that does not need the hold any more must release it. */
    record Granted(GrantedHold hold) implements AcquireOutcome {}

    record TimedOut() implements AcquireOutcome {}

    record Cancelled() implements AcquireOutcome {}

    record Failed(ServiceException failure) implements AcquireOutcome {}
}
