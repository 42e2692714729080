package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** A slot that a session has, until it is released or its lease ends. */
sealed class Hold extends Deadline implements HoldOrWaiter permits OfferHold, HoldWithAttributes {
    final Resource resource;
    SessionState session;
    final long fence;
    final long salt;

    /** Length of the lease as granted; renewing changes the deadline only. */
    final long leaseNanos;

    /** When it was granted, or confirmed. */
    long sinceNanos;

    /** The request it answers. */
    long request;

    /** The request whose answer told the token first, 0 if none has. */
    long tokenSentBy;

    /** Whoever renewed it last, if that was another session. */
    @Nullable Successor successor;

    /** Its place among the holds of the session, known only while a state is written or read. */
    int rank;

    /** Neighbours among the holds of the session. */
    @Nullable Hold before;

    @Nullable Hold after;

    Hold(
            Resource resource,
            SessionState sessionState,
            long request,
            long fence,
            long salt,
            long leaseNanos) {
        this.resource = resource;
        this.session = sessionState;
        this.request = request;
        this.fence = fence;
        this.salt = salt;
        this.leaseNanos = leaseNanos;
        this.tokenSentBy = request;
    }

    static Hold of(
            Resource resource,
            SessionState sessionState,
            long request,
            long fence,
            long salt,
            long leaseNanos,
            HoldAttributes holdAttributes) {
        return holdAttributes.isPlain()
                ? new Hold(resource, sessionState, request, fence, salt, leaseNanos)
                : new HoldWithAttributes(
                        resource, sessionState, request, fence, salt, leaseNanos, holdAttributes);
    }

    /** Another session has it from now on, as if its request had been granted it. */
    void passTo(SessionState next, long nextRequest) {
        session = next;
        request = nextRequest;
        tokenSentBy = nextRequest;
        successor = null;
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

    /** Whether it is only offered yet. */
    boolean isOffer() {
        return false;
    }

    Token token() {
        return new Token(fence, salt);
    }
}
