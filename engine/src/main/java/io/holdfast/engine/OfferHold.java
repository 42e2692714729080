package io.holdfast.engine;

/**
 * An offer made to an {@link OfferWaiter}, and once it is confirmed a hold. It ends with its
 * session, and its token is never delivered.
 */
final class OfferHold extends Hold {
    private final ReadWriteMode readWriteMode;

    /** When it was requested. */
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
            long requestedNanos,
            boolean offered) {
        super(resource, sessionState, request, fence, salt, leaseNanos);
        this.readWriteMode = readWriteMode;
        this.requestedNanos = requestedNanos;
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
