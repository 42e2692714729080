package io.holdfast.client;

/**
 * Why a hold was lost.
 *
 * {@snippet :
 * HoldfastLock lock = holdfast.lock("index").onLost(reason -> cleanUp());
 * try (Hold hold = lock.acquire(Duration.ofSeconds(10))) {
 *     deploy();
 *     System.out.println(hold.lossReason()); // Optional.empty
 * }
 * }
 */
public enum LossReason {
    /** The lease ended at the server, or may have by our clock. */
    EXPIRED,
    /** Somebody else released it with its token. */
    RELEASED,
    /** The connection ended and the session could not be resumed. */
    CONNECTION_LOST,
    /** The client was closed. */
    CLIENT_CLOSED
}
