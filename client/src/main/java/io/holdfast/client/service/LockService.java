package io.holdfast.client.service;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Locks and data of one service, wherever it is: behind a connection, or in memory. No method
 * blocks; callbacks come on any thread and must not block. Keys and arguments have been checked:
 * none has a blank (keys) or a line break.
 */
public interface LockService extends AutoCloseable {
    /** For messages and events. */
    String address();

    ServiceFeatures abilities();

    /** The clock and timer that everything about this service goes by. */
    TimerClock timeline();

    /** Asks for a hold; {@code done} is called exactly once. */
    AcquireAttempt acquire(AcquireRequest what, Consumer<AcquireOutcome> done);

    /**
     * Any command that neither waits nor is about a hold: {@code incr}, {@code kget}, {@code
     * signal}, {@code stats}, {@code info} and so on.
     *
     * @return the answer, a line without tag and line end, whatever it says; a {@link
     *     ServiceException} if there is none
     */
    CompletableFuture<String> command(String command, String key, String argument);

    /** Listens, again after each reconnect, until closed; an empty group is none. */
    SignalSubscription listen(String pattern, String group, SignalSink sink);

    /** Ends everything: holds are released, waits end as cancelled. */
    @Override
    void close();

    /** Ends a subscription. */
    interface SignalSubscription extends AutoCloseable {
        /** Completes when the server has accepted it for the first time. */
        CompletableFuture<Void> accepted();

        @Override
        void close();
    }
}
