package io.holdfast.engine;

/** The place in line of a {@link Command.RequestOffer}. When its turn comes it is made an offer. */
final class OfferWaiter extends Waiter {
    private final ReadWriteMode readWriteMode;

    /** How long the offer will stand. */
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
