package io.holdfast.engine.lock;

import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.hash.FieldHash;

/**
 * An offer made to an {@link OfferWaiter}, and once it is confirmed a hold. It ends with its
 * session, and its token is never delivered.
 */
final class OfferHold extends Hold {
    private final ReadWriteLock lock;
    private final ReadWriteMode readWriteMode;
    private final long requestedNanos;

    /** Whether it is still an offer; its deadline is then the end of the offer. */
    private boolean offered;

    OfferHold(
            ReadWriteLock lock,
            SessionState sessionState,
            long request,
            long fence,
            long salt,
            long leaseNanos,
            ReadWriteMode readWriteMode,
            long requestedNanos,
            boolean offered) {
        super(lock, sessionState, request, fence, salt, leaseNanos);
        this.lock = lock;
        this.readWriteMode = readWriteMode;
        this.requestedNanos = requestedNanos;
        this.offered = offered;
    }

    @Override
    protected void hashFields(FieldHash out) {
        super.hashFields(out);
        out.number(requestedNanos).flag(offered);
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

    @Override
    boolean isOffer() {
        return offered;
    }

    /** Makes it a hold, so that other readers can be admitted. */
    void confirm() {
        offered = false;
        lock.endOffer();
    }

    @Override
    boolean hasToken() {
        return false;
    }

    @Override
    long requestedNanos() {
        return requestedNanos;
    }

    @Override
    boolean isTryAcquired() {
        return false;
    }

    @Override
    boolean mustEndWithSession(long lastAnswered) {
        return true;
    }
}
