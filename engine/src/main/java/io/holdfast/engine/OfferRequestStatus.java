package io.holdfast.engine;

/** How far a {@link Command.RequestOffer} has got. */
public enum OfferRequestStatus {
    /** In line. */
    QUEUED,
    /** Its turn, if it confirms in time. Nobody else is let in meanwhile. */
    OFFERED,
    /** Confirmed. */
    HELD,
    /** There is no such request, or not any more. */
    GONE
}
