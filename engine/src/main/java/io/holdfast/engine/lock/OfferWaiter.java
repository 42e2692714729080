package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.hash.FieldHash;

/**
 * The waiter of a {@link Command.RequestOffer}. When it is next it gets an offer instead of a
 * grant.
 */
final class OfferWaiter extends Waiter {
    private final ReadWriteLock lock;
    private final ReadWriteMode readWriteMode;

    /** How long the offer can be confirmed. */
    final long confirmNanos;

    OfferWaiter(
            ReadWriteLock lock,
            SessionState sessionState,
            long request,
            long salt,
            long leaseNanos,
            ReadWriteMode readWriteMode,
            long confirmNanos) {
        super(lock, sessionState, request, salt, leaseNanos, false);
        this.lock = lock;
        this.readWriteMode = readWriteMode;
        this.confirmNanos = confirmNanos;
    }

    /** The offer. */
    @Override
    OfferHold toHold(long fence) {
        return new OfferHold(
                lock, session, request, fence, salt, leaseNanos, readWriteMode, sinceNanos, true);
    }

    @Override
    protected void hashFields(FieldHash out) {
        super.hashFields(out);
        out.number(confirmNanos);
    }

    @Override
    int attributeTag() {
        return SnapshotTags.ofOffer(readWriteMode);
    }

    @Override
    ReadWriteMode mode() {
        return readWriteMode;
    }

    @Override
    boolean isTracked() {
        return true;
    }
}
