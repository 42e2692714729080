package io.holdfast.engine;

/**
 * The waiter of a {@link Command.RequestOffer}. When it is next it gets an offer instead of a
 * grant.
 */
final class OfferWaiter extends Waiter {
    private final ReadWriteMode readWriteMode;

    /** How long the offer can be confirmed. */
    final long confirmNanos;

    OfferWaiter(
            Resource resource,
            SessionState sessionState,
            long request,
            long salt,
            long leaseNanos,
            ReadWriteMode readWriteMode,
            long confirmNanos) {
        super(resource, sessionState, request, salt, leaseNanos, false);
        this.readWriteMode = readWriteMode;
        this.confirmNanos = confirmNanos;
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
