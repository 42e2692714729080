package io.holdfast.engine;

import java.util.Map;

/**
 * The settings that change outcomes.
 *
 * @param maxWaiters how many may wait for one key; 0 is no limit
 * @param idleNanos how long a key nobody uses is remembered
 * @param autoRelease whether the end of a session releases its holds
 * @param maxListLength how many items one list may have; 0 is no limit
 * @param keepsValues whether values without a time to live stay however long nobody uses them
 * @param policies who comes next, for mutexes where it is not {@link Policy#FIFO}
 */
public record Settings(
        int maxWaiters,
        long idleNanos,
        boolean autoRelease,
        int maxListLength,
        boolean keepsValues,
        Map<Key, Policy> policies) {
    public Settings {
        if (maxWaiters < 0) {
            throw new IllegalArgumentException("maxWaiters must be >= 0 but is " + maxWaiters);
        }
        if (idleNanos < 0) {
            throw new IllegalArgumentException("idleNanos must be >= 0 but is " + idleNanos);
        }
        if (maxListLength < 0) {
            throw new IllegalArgumentException(
                    "maxListLength must be >= 0 but is " + maxListLength);
        }
        policies = Map.copyOf(policies);
    }

    /** Where values are forgotten like everything else that nobody uses. */
    public Settings(
            int maxWaiters,
            long idleNanos,
            boolean autoRelease,
            int maxListLength,
            Map<Key, Policy> policies) {
        this(maxWaiters, idleNanos, autoRelease, maxListLength, false, policies);
    }

    /** First come, first served everywhere. */
    public Settings(int maxWaiters, long idleNanos, boolean autoRelease, int maxListLength) {
        this(maxWaiters, idleNanos, autoRelease, maxListLength, Map.of());
    }

    /** With lists of any length. */
    public Settings(int maxWaiters, long idleNanos, boolean autoRelease) {
        this(maxWaiters, idleNanos, autoRelease, 0);
    }

    Policy policy(Key key) {
        return policies.getOrDefault(key, Policy.FIFO);
    }

    /** When something that was last used at a time may be forgotten. */
    long idleEnd(long lastActivityNanos) {
        long end = lastActivityNanos + idleNanos;
        return end < lastActivityNanos ? Long.MAX_VALUE : end;
    }
}
