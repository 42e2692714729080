package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** A slot that a session has, until it is released or its lease ends. */
sealed class Hold extends Deadline implements Place permits AskHold, TermsHold {
    final Resource resource;
    final Session session;
    final long fence;
    final long salt;

    /** Length of the lease as granted; renewing changes the deadline only. */
    final long leaseNanos;

    /** When it was granted, or confirmed. */
    long sinceNanos;

    /** The request it answers. */
    long request;

    /** The request whose answer told the token first, 0 if none has. */
    long toldBy;

    /** Neighbours among the holds of the session. */
    @Nullable Hold before;

    @Nullable Hold after;

    Hold(Resource resource, Session session, long request, long fence, long salt, long leaseNanos) {
        this.resource = resource;
        this.session = session;
        this.request = request;
        this.fence = fence;
        this.salt = salt;
        this.leaseNanos = leaseNanos;
        this.toldBy = request;
    }

    Terms terms() {
        return Terms.PLAIN;
    }

    Mode mode() {
        return Mode.WRITE;
    }

    /** Whether the session has it on record by its request. */
    boolean isTracked() {
        return false;
    }

    Token token() {
        return new Token(fence, salt);
    }
}
