package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * Base of all failures that the client reports.
 *
 * {@snippet :
 * try (Hold hold = holdfast.lock("busy").acquire(Duration.ofSeconds(10))) {
 *     holdfast.lock("busy").acquire(Duration.ofMillis(50)).close();
 * } catch (LockException e) {
 *     System.out.println(e.isRetrySafe()); // true
 * }
 * }
 */
public abstract class LockException extends RuntimeException {
    LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Whether the same request can be sent again without being applied twice. */
    public abstract boolean isRetrySafe();
}
