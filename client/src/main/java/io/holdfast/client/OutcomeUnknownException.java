package io.holdfast.client;

import org.jspecify.annotations.Nullable;

/**
 * The connection ended, or the timeout passed, after the request was sent. It may have been
 * applied: check the state before sending it again.
 *
 * {@snippet :
 * Counter visits = holdfast.counter("visits");
 * long before = visits.get();
 * try {
 *     visits.increment();
 * } catch (OutcomeUnknownException e) {
 *     if (visits.get() == before) { // check before sending it again
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
