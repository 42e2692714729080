package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** A session's place in line. It ends once: granted, timed out or cancelled. */
sealed class Waiter extends Deadline implements HoldOrWaiter
        permits OfferWaiter, WaiterWithAttributes {
    /** No request is blocked on this wait: it was enqueued and nobody awaits it yet. */
    static final long NO_REQUEST = 0;

    final Resource resource;
    final SessionState session;
    final long salt;
    final long leaseNanos;

    /** Whether the session has this wait on record as enqueued. */
    final boolean enqueued;

    /** When it joined the line. */
    long sinceNanos;

    /** The blocked request, or {@link #NO_REQUEST}. */
    long request;

    /** Order among all who wait for the same, where they stand in more than one line. */
    long arrival;

    /** Neighbours in line. */
    @Nullable Waiter ahead;

    @Nullable Waiter behind;

    /** Neighbours among those who wait for any key of the namespace and kind. */
    @Nullable Waiter older;

    @Nullable Waiter younger;

    /** Its place among the waits of the session, known only while a state is written or read. */
    int rank;

    /** Neighbours among the waits of the session. */
    @Nullable Waiter before;

    @Nullable Waiter after;

    Waiter(
            Resource resource,
            SessionState sessionState,
            long request,
            long salt,
            long leaseNanos,
            boolean enqueued) {
        this.resource = resource;
        this.session = sessionState;
        this.request = request;
        this.salt = salt;
        this.leaseNanos = leaseNanos;
        this.enqueued = enqueued;
    }

    static Waiter of(
            Resource resource,
            SessionState sessionState,
            long request,
            long salt,
            long leaseNanos,
            boolean enqueued,
            HoldAttributes holdAttributes) {
        return holdAttributes.isPlain()
                ? new Waiter(resource, sessionState, request, salt, leaseNanos, enqueued)
                : new WaiterWithAttributes(
                        resource,
                        sessionState,
                        request,
                        salt,
                        leaseNanos,
                        enqueued,
                        holdAttributes);
    }

    /** Whether a request is blocked on it. */
    final boolean isAwaited() {
        return request != NO_REQUEST;
    }

    HoldAttributes terms() {
        return HoldAttributes.PLAIN;
    }

    ReadWriteMode mode() {
        return ReadWriteMode.WRITE;
    }

    /** Whether the session has it on record by its request. */
    boolean isTracked() {
        return false;
    }
}
