package io.holdfast.client.internal.service;

/**
 * The parameters of an acquire.
 *
 * @param limit the limit of a semaphore; 1 otherwise
 * @param waitNanos the timeout; 0 does not wait, {@link #FOREVER} has no timeout
 * @param leaseNanos the length of the lease; 0 for the server's default
 * @param unbound whether the hold outlives its session
 */
public record AcquireRequest(
        Kind kind, String key, long limit, long waitNanos, long leaseNanos, boolean unbound) {
    public static final long FOREVER = Long.MAX_VALUE;

    /** Kinds of holds. */
    public enum Kind {
        /** An exclusive lock, or the write side of a read/write lock. */
        LOCK,
        /** The read side of a read/write lock. */
        READ,
        /** One permit of a semaphore. */
        SEMAPHORE
    }
}
