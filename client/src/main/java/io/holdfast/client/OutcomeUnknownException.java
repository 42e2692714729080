package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * The connection broke after the request left. It may have been applied; look before asking again.
 *
 * {@snippet :
 * Counter visits = holdfast.counter("visits");
 * long before = visits.get();
 * try {
 *     visits.increment();
 * } catch (OutcomeUnknownException e) {
 *     if (visits.get() == before) { // look before asking again
 *         visits.increment();
 *     }
 * }
 * }
 */
public final class OutcomeUnknownException extends LockException {
    OutcomeUnknownException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean isRetrySafe() {
        return false;
    }
}
