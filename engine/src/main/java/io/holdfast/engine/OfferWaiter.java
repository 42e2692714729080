package io.holdfast.engine;

/** The place in line of a {@link Command.RequestOffer}. When its turn comes it is made an offer. */
final class OfferWaiter extends Waiter {
    private final Mode mode;

    /** How long the offer will stand. */
    final long confirmNanos;

    OfferWaiter(
            Resource resource,
            SessionState sessionState,
            long request,
            long salt,
            long leaseNanos,
            Mode mode,
            long confirmNanos) {
        super(resource, sessionState, request, salt, leaseNanos, false);
        this.mode = mode;
        this.confirmNanos = confirmNanos;
    }

    @Override
    Mode mode() {
        return mode;
    }

    @Override
    boolean isTracked() {
        return true;
    }
}
