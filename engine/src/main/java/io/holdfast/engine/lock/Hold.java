package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.Token;
import io.holdfast.engine.hash.FieldHash;

import org.jspecify.annotations.Nullable;

/** A slot held by a session, until it is released or its lease expires. */
sealed class Hold extends LockDeadline implements HoldOrWaiter
        permits OfferHold, HoldWithAttributes {
    final Resource resource;
    SessionState session;
    final long fence;
    final long salt;

    /** Length of the lease as granted; renewing changes the deadline only. */
    final long leaseNanos;

    /** When it was granted, or confirmed. */
    long sinceNanos;

    /** The request it was granted to. */
    long request;

    /** The request whose response delivered the token first; 0 if none has. */
    long tokenSentBy;

    /** The session that renewed it last, if that was another one. */
    @Nullable Successor successor;

    /** Its index among the holds of the session; only valid while a snapshot is written or read. */
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

    /** Passes the hold to another session, as if it had been granted to that session's request. */
    void passTo(SessionState next, long nextRequest) {
        session = next;
        request = nextRequest;
        tokenSentBy = nextRequest;
        successor = null;
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

    /** Whether it is an offer that has not been confirmed. */
    boolean isOffer() {
        return false;
    }

    /** Whether its session got its token; otherwise the session refers to it by the request. */
    boolean hasToken() {
        return true;
    }

    /** When an offer of it was requested. */
    long requestedNanos() {
        return sinceNanos;
    }

    /** Whether it was try-acquired: such a hold has no lease. */
    boolean isTryAcquired() {
        return leaseNanos == Command.FOREVER;
    }

    /** Whether nothing but the end of its session can end it; see {@link Command.CloseSession}. */
    boolean mustEndWithSession(long lastAnswered) {
        return isTryAcquired() || tokenSentBy == 0 || tokenSentBy > lastAnswered;
    }

    /** The event when its session ends it. */
    final KeyEvent.Type ownEnd() {
        return isOffer() ? KeyEvent.Type.GAVE_UP : KeyEvent.Type.RELEASED;
    }

    final Effect granted() {
        return new Effect.Granted(session.id, request, resource.key, token(), leaseNanos);
    }

    @Override
    protected void hashFields(FieldHash out) {
        boolean owned = session.has(this);
        out.number(HashedRecords.HOLD).number(SnapshotTags.of(resource.kind())).key(resource.key);
        out.number(session.id).flag(owned).number(before == null ? 0 : before.fence);
        out.flag(owned && session.enqueued(resource) == this);
        out.flag(owned && session.tracked(request) == this);
        out.number(attributeTag());
        out.number(request).number(tokenSentBy).number(fence).number(salt);
        out.number(leaseNanos).number(sinceNanos);
        hashDeadline(out);
        out.flag(successor != null);
        if (successor != null) {
            out.number(successor.session()).number(successor.request());
            out.number(successor.atNanos());
        }
    }

    /** Its attributes in a snapshot. */
    int attributeTag() {
        return SnapshotTags.of(attributes());
    }

    Token token() {
        return new Token(fence, salt);
    }
}
