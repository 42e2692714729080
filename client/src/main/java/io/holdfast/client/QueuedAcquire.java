package io.holdfast.client;

import java.time.Duration;
import java.util.Optional;

/**
 * A queued acquire. Closing cancels it, and releases the hold if it was granted but not awaited.
 *
 * {@snippet :
 * try (QueuedAcquire queued = holdfast.lock("printer").enqueue()) {
 *     // prepare while other waiters are ahead
 *     try (Hold hold = queued.await(Duration.ofMinutes(1))) {
 *         System.out.println(hold.isHeld()); // true
 *     }
 * }
 * }
 */
public interface QueuedAcquire extends AutoCloseable {
    String key();

    /**
     * Waits for the grant; at the timeout the acquire is cancelled. An interrupt leaves it queued.
     * Can succeed once.
     *
     * @throws AcquireTimeoutException at the timeout
     */
    Hold await(Duration timeout) throws InterruptedException;

    /** As {@link #await}, but empty instead of an exception. */
    Optional<Hold> tryAwait(Duration timeout) throws InterruptedException;

    /** Whether it has been granted. */
    boolean isGranted();

    @Override
    void close();
}
