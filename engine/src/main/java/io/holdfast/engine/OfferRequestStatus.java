package io.holdfast.engine;

/** The status of a {@link Command.RequestOffer}. */
public enum OfferRequestStatus {
    /** In the queue. */
    QUEUED,
    /**
     * Offered, to be confirmed in time. No other session is granted or offered the lock meanwhile.
     */
    OFFERED,
    /** Confirmed. */
    HELD,
    /** There is no such request, or it has ended. */
    GONE
}
