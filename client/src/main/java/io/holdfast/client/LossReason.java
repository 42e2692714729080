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
    /** The lease expired at the server, or may have expired by the clock of this machine. */
    EXPIRED,
    /** Another client released it with its token. */
    RELEASED,
    /** The connection ended and the session could not be resumed. */
    CONNECTION_LOST,
    /** The client was closed. */
    CLIENT_CLOSED
}
