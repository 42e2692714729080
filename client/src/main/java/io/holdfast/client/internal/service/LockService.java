package io.holdfast.client.internal.service;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The locks and data of one service, which is behind a connection or in memory. No method except
 * {@link #close} blocks; callbacks run on any thread and must not block. Callers have validated
 * keys and arguments: keys contain no whitespace, arguments no line breaks.
 */
public interface LockService extends AutoCloseable {
    /** The address of the server, for messages and events. */
    String address();

    ServiceFeatures features();

    /** The clock and timers of this service. */
    TimerClock clock();

    /** Starts an acquire; {@code done} is called exactly once. */
    AcquireAttempt acquire(AcquireRequest what, Consumer<AcquireOutcome> done);

    /**
     * Sends a command that does not wait at the server and does not concern a hold: {@code incr},
     * {@code kget}, {@code signal}, {@code stats}, {@code info} and so on.
     *
     * @return the response line without tag and line end, which may be an error; a {@link
     *     ServiceException} if there was no response
     */
    CompletableFuture<String> command(String command, String key, String argument);

    /**
     * Listens until the subscription is closed, and listens again after each reconnect. An empty
     * {@code group} means no queue group.
     */
    SignalSubscription listen(String pattern, String group, SignalSink sink);

    /**
     * Closes the service: holds are released, waits end as cancelled. Waits briefly for the server.
     */
    @Override
    void close();

    /** A subscription, which ends when it is closed. */
    interface SignalSubscription extends AutoCloseable {
        /** Completes when the server has accepted it for the first time. */
        CompletableFuture<Void> accepted();

        @Override
        void close();
    }
}
