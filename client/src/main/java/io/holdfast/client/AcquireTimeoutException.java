package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * The lock was not acquired within the timeout. The waiter has been removed from the queue.
 *
 * {@snippet :
 * try (Hold hold = holdfast.lock("busy").acquire(Duration.ofSeconds(10))) {
 *     holdfast.lock("busy").acquire(Duration.ofMillis(50)).close();
 * } catch (AcquireTimeoutException e) {
 *     System.out.println("timed out"); // timed out
 * }
 * }
 */
public final class AcquireTimeoutException extends LockException {
    AcquireTimeoutException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean isRetrySafe() {
        return true;
    }
}
