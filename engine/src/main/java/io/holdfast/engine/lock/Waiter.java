package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.hash.FieldHash;

import org.jspecify.annotations.Nullable;

/** A queued request of a session. It ends once: granted, offered, timed out or cancelled. */
sealed class Waiter extends LockDeadline implements HoldOrWaiter
        permits OfferWaiter, WaiterWithAttributes {
    /** No request is blocked on this waiter: it was enqueued and is not awaited yet. */
    static final long NO_REQUEST = 0;

    final Resource resource;
    final SessionState session;
    final long salt;
    final long leaseNanos;

    /** Whether it was created by {@link Command.Enqueue}. */
    final boolean enqueued;

    /** When it was queued. */
    long sinceNanos;

    /** The blocked request, or {@link #NO_REQUEST}. */
    long request;

    /**
     * The order of arrival among all waiters of the resource, if readers and writers are in
     * separate queues.
     */
    long arrival;

    /** Neighbours in the queue. */
    @Nullable Waiter ahead;

    @Nullable Waiter behind;

    /** Neighbours among the waiters for all keys of the namespace and kind. */
    @Nullable Waiter older;

    @Nullable Waiter younger;

    /**
     * Its index among the waiters of the session; only valid while a snapshot is written or read.
     */
    int rank;

    /** Neighbours among the waiters of the session. */
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

    /** The hold that it becomes. */
    Hold toHold(long fence) {
        return Hold.of(resource, session, request, fence, salt, leaseNanos, attributes());
    }

    /** Whether a request is blocked on it. */
    final boolean isAwaited() {
        return request != NO_REQUEST;
    }

    @Override
    protected void hashFields(FieldHash out) {
        out.number(HashedRecords.WAITER).number(SnapshotTags.of(resource.kind())).key(resource.key);
        hashIdentity(this, out);
        hashIdentity(ahead, out);
        hashIdentity(before, out);
        out.flag(enqueued).flag(session.tracked(request) == this).number(attributeTag());
        out.number(request).number(leaseNanos).number(sinceNanos).number(arrival);
        hashDeadline(out);
    }

    private static void hashIdentity(@Nullable Waiter waiter, FieldHash out) {
        out.flag(waiter != null);
        if (waiter != null) {
            out.number(waiter.session.id).number(waiter.salt);
        }
    }

    /** Its attributes in a snapshot. */
    int attributeTag() {
        return SnapshotTags.of(attributes());
    }

    HoldAttributes attributes() {
        return HoldAttributes.PLAIN;
    }

    ReadWriteMode mode() {
        return ReadWriteMode.WRITE;
    }

    /** Whether the session tracks it by its request number. */
    boolean isTracked() {
        return false;
    }
}
