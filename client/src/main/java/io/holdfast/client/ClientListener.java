package io.holdfast.client;

import java.time.Duration;

/**
 * Hears what a client does, for metrics and logs; see {@link HoldfastBuilder#listener}. Calls come
 * one after the other, on the builder's executor. What it throws is logged and hurts nobody.
 *
 * <p>Every {@link AcquireResult#ACQUIRED} is followed by exactly one {@link #released} or {@link
 * #lost}. A multi lock is reported as its parts.
 *
 * {@snippet :
 * BlockingQueue<String> acquired = new LinkedBlockingQueue<>();
 * ClientListener listener =
 *         new ClientListener() {
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
public interface ClientListener {
    /** How an acquire ended for the one who asked. */
    enum AcquireResult {
        ACQUIRED,
        /** Not free in time; also a try that does not wait. */
        TIMED_OUT,
        /** Cancelled or interrupted, or the place in line was closed. */
        CANCELLED,
        /** Refused, or no answer. */
        FAILED
    }

    /** An acquire ended, so long after it was asked for. */
    default void acquireEnded(String key, AcquireResult result, Duration waited) {}

    /** A hold was closed before it was lost, also if the server could not be told. */
    default void released(String key, Duration held) {}

    /** A hold was lost before it was closed. */
    default void lost(String key, LossReason reason, Duration held) {}

    /** The server renewed a lease. */
    default void renewed(String key) {}

    /** A try to renew got no answer; there may be another one. */
    default void renewalFailed(String key) {}

    /** The connection with a server changed. */
    default void connection(ConnectionEvent event) {}
}
