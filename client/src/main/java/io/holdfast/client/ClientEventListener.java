package io.holdfast.client;

import java.time.Duration;

/**
 * Is notified of the operations of a client, for metrics and logs; see {@link
 * HoldfastBuilder#listener}. Calls are serialized and run on the builder's executor. Exceptions
 * that it throws are logged and have no other effect.
 *
 * <p>Every {@link AcquireResult#ACQUIRED} is followed by exactly one {@link #released} or {@link
 * #lost}. A multi lock reports each of its parts.
 *
 * {@snippet :
 * BlockingQueue<String> acquired = new LinkedBlockingQueue<>();
 * ClientEventListener listener =
 *         new ClientEventListener() {
 *             @Override
 *             public void acquireEnded(String key, AcquireResult result, Duration waited) {
 *                 acquired.add(key + " " + result);
 *             }
 *         };
 * try (Holdfast holdfast =
 *         Holdfast.builder().address("127.0.0.1:6388").listener(listener).connect()) {
 *     holdfast.lock("deploy").acquire(Duration.ofSeconds(10)).close();
 *     System.out.println(acquired.take()); // deploy ACQUIRED
 * }
 * }
 */
public interface ClientEventListener {
    /** How an acquire ended for the caller. */
    enum AcquireResult {
        ACQUIRED,
        /** Not acquired within the timeout; also for a try-acquire, which does not wait. */
        TIMED_OUT,
        /** Cancelled or interrupted, or the {@link QueuedAcquire} was closed. */
        CANCELLED,
        /** Refused, or no response. */
        FAILED
    }

    /** An acquire ended; {@code waited} is the time since it was requested. */
    default void acquireEnded(String key, AcquireResult result, Duration waited) {}

    /** A hold was closed before it was lost, also if the release did not reach the server. */
    default void released(String key, Duration held) {}

    /** A hold was lost before it was closed. */
    default void lost(String key, LossReason reason, Duration held) {}

    /** The server renewed a lease. */
    default void renewed(String key) {}

    /** An attempt to renew got no response; it may be retried. */
    default void renewalFailed(String key) {}

    /** The state of the connection to a server changed. */
    default void connection(ConnectionEvent event) {}
}
