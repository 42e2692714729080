package io.holdfast.client.service;

/**
 * What is asked for.
 *
 * @param limit of a semaphore; 1 otherwise
 * @param waitNanos 0 tries once; {@link #FOREVER} waits as long as it takes
 * @param leaseNanos 0 for the server's default
 * @param unbound whether the hold outlives its session
 */
public record AcquireRequest(
        Kind kind, String key, long limit, long waitNanos, long leaseNanos, boolean unbound) {
    public static final long FOREVER = Long.MAX_VALUE;

    /** Kinds of holds. */
    public enum Kind {
        /** Alone. */
        LOCK,
        /** Together with other readers. */
        READ,
        /** One place of a semaphore. */
        SEMAPHORE
    }
}
