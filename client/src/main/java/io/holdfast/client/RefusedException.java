package io.holdfast.client;

/**
 * The server refused the request and changed nothing: queue full, too many keys, a different limit.
 *
 * {@snippet :
 * try (Hold hold = holdfast.semaphore("gpu", 2).acquire(Duration.ofSeconds(10))) {
 *     holdfast.semaphore("gpu", 3).acquire(Duration.ofSeconds(10)).close();
 * } catch (RefusedException e) {
 *     System.out.println(e.reason()); // error_limit_mismatch
 * }
 * }
 */
public final class RefusedException extends LockException {
    private final String reason;

    RefusedException(String message, String reason) {
        super(message, null);
        this.reason = reason;
    }

    /** The error code that the server sent, such as {@code error_max_waiters}. */
    public String reason() {
        return reason;
    }

    @Override
    public boolean isRetrySafe() {
        return true;
    }
}
