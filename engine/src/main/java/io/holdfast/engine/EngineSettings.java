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
 * @param policies who comes next, for mutexes where it is not {@link QueuePolicy#FIFO}
 */
public record EngineSettings(
        int maxWaiters,
        long idleNanos,
        boolean autoRelease,
        int maxListLength,
        boolean keepsValues,
        Map<Key, QueuePolicy> policies) {
    public EngineSettings {
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
    public EngineSettings(
            int maxWaiters,
            long idleNanos,
            boolean autoRelease,
            int maxListLength,
            Map<Key, QueuePolicy> policies) {
        this(maxWaiters, idleNanos, autoRelease, maxListLength, false, policies);
    }

    /** First come, first served everywhere. */
    public EngineSettings(int maxWaiters, long idleNanos, boolean autoRelease, int maxListLength) {
        this(maxWaiters, idleNanos, autoRelease, maxListLength, Map.of());
    }

    /** With lists of any length. */
    public EngineSettings(int maxWaiters, long idleNanos, boolean autoRelease) {
        this(maxWaiters, idleNanos, autoRelease, 0);
    }

    QueuePolicy policy(Key key) {
        return policies.getOrDefault(key, QueuePolicy.FIFO);
    }

    /** When something that was last used at a time may be forgotten. */
    long idleEnd(long lastActivityNanos) {
        long end = lastActivityNanos + idleNanos;
        return end < lastActivityNanos ? Long.MAX_VALUE : end;
    }
}
