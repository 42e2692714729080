package io.holdfast.client;

import java.time.Duration;
import java.util.Optional;

/**
 * A place in line for a lock. Closing gives it up, and releases what nobody awaited.
 *
 * {@snippet :
 * try (PlaceInLine place = holdfast.lock("printer").enqueue()) {
 *     // prepare, while others are in front of us
 *     try (Hold hold = place.await(Duration.ofMinutes(1))) {
 *         System.out.println(hold.isHeld()); // true
 *     }
 * }
 * }
 */
public interface QueuedAcquire extends AutoCloseable {
    String key();

    /**
     * Waits for the turn; if it does not come in time the place is given up. An interrupt keeps it.
     * Can succeed once.
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
