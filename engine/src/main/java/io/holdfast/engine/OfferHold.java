package io.holdfast.engine;

/**
 * What became of an {@link OfferWaiter} whose turn came: an offer, and once it is confirmed a hold.
 * It ends with its session, and no token of it was told.
 */
final class OfferHold extends Hold {
    private final ReadWriteMode readWriteMode;

    /** When it was asked for. */
    final long requestedNanos;

    /** Whether it is still an offer; its deadline is then the end of the offer. */
    boolean offered;

    OfferHold(
            Resource resource,
            SessionState sessionState,
            long request,
            long fence,
            long salt,
            long leaseNanos,
            ReadWriteMode readWriteMode,
            long askedNanos,
            boolean offered) {
        super(resource, sessionState, request, fence, salt, leaseNanos);
        this.readWriteMode = readWriteMode;
        this.requestedNanos = askedNanos;
        this.offered = offered;
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
}
