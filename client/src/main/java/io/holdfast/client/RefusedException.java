package io.holdfast.client;

/**
 * The server said no and changed nothing: line full, too many keys, another limit.
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

    /** The server's word, such as {@code error_max_waiters}. */
    public String reason() {
        return reason;
    }

    @Override
    public boolean isRetrySafe() {
        return true;
    }
}
