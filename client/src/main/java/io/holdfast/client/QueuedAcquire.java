package io.holdfast.client;

import java.time.Duration;
import java.util.Optional;

/**
 * A queued acquire. Closing cancels it, and releases what nobody awaited.
 *
 * {@snippet :
 * try (QueuedAcquire queued = holdfast.lock("printer").enqueue()) {
 *     // prepare, while others are in front of us
 *     try (Hold hold = queued.await(Duration.ofMinutes(1))) {
 *         System.out.println(hold.isHeld()); // true
 *     }
 * }
 * }
 */
public interface QueuedAcquire extends AutoCloseable {
    String key();

    /**
     * Waits for the turn; if it does not come in time the acquire is cancelled. An interrupt keeps
     * it. Can succeed once.
     *
     * @throws AcquireTimeoutException then
     */
    Hold await(Duration timeout) throws InterruptedException;

    /** As {@link #await}, but empty instead of an exception. */
    Optional<Hold> tryAwait(Duration timeout) throws InterruptedException;

    /** Whether the turn has come. */
    boolean isGranted();

    @Override
    void close();
}
