package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** A session's place in line. It ends once: granted, timed out or cancelled. */
sealed class Wait extends Deadline implements Place permits AskWait, TermsWait {
    /** No request is blocked on this wait: it was enqueued and nobody awaits it yet. */
    static final long NOBODY = 0;

    final Resource resource;
    final Session session;
    final long salt;
    final long leaseNanos;

    /** Whether the session has this wait on record as enqueued. */
    final boolean enqueued;

    /** When it joined the line. */
    long sinceNanos;

    /** The blocked request, or {@link #NOBODY}. */
    long request;

    /** Order among all who wait for the same, where they stand in more than one line. */
    long arrival;

    /** Neighbours in line. */
    @Nullable Wait ahead;

    @Nullable Wait behind;

    /** Neighbours among those who wait for any key of the namespace and kind. */
    @Nullable Wait older;

    @Nullable Wait younger;

    /** Its place among the waits of the session, known only while a state is written or read. */
    int rank;

    /** Neighbours among the waits of the session. */
    @Nullable Wait before;

    @Nullable Wait after;

    Wait(
            Resource resource,
            Session session,
            long request,
            long salt,
            long leaseNanos,
            boolean enqueued) {
        this.resource = resource;
        this.session = session;
        this.request = request;
        this.salt = salt;
        this.leaseNanos = leaseNanos;
        this.enqueued = enqueued;
    }

    static Wait of(
            Resource resource,
            Session session,
            long request,
            long salt,
            long leaseNanos,
            boolean enqueued,
            Terms terms) {
        return terms.isPlain()
                ? new Wait(resource, session, request, salt, leaseNanos, enqueued)
                : new TermsWait(resource, session, request, salt, leaseNanos, enqueued, terms);
    }

    /** Whether a request is blocked on it. */
    final boolean isAwaited() {
        return request != NOBODY;
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
}
