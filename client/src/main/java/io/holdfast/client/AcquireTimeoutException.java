package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * The lock was not free in time. The place in line is given up.
 *
 * {@snippet :
 * try (Hold hold = holdfast.lock("busy").acquire(Duration.ofSeconds(10))) {
 *     holdfast.lock("busy").acquire(Duration.ofMillis(50)).close();
 * } catch (AcquireTimeoutException e) {
 *     System.out.println("somebody else is busy"); // somebody else is busy
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
