package io.holdfast.client.service;

/** How an acquire ended. */
public sealed interface Outcome {
    /** It is held. If nobody wants it any more it must be released. */
    record Granted(GrantedHold hold) implements Outcome {}

    record TimedOut() implements Outcome {}

    record Cancelled() implements Outcome {}

    record Failed(ServiceException failure) implements Outcome {}
}
