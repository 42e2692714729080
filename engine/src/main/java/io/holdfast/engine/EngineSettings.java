package io.holdfast.engine;

import java.util.Map;

/**
 * The settings that affect the results of commands.
 *
 * @param maxWaiters maximum number of waiters of one key; 0 is no limit
 * @param idleNanos how long an unused key is retained
 * @param autoRelease whether the end of a session releases its holds
 * @param maxListLength maximum number of items of one list; 0 is no limit
 * @param keepsValues whether values without a time to live are exempt from idle collection
 * @param policies the queue policy of locks where it is not {@link QueuePolicy#FIFO}
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

    /** With idle collection of values without a time to live. */
    public EngineSettings(
            int maxWaiters,
            long idleNanos,
            boolean autoRelease,
            int maxListLength,
            Map<Key, QueuePolicy> policies) {
        this(maxWaiters, idleNanos, autoRelease, maxListLength, false, policies);
    }

    /** First come, first served for every key. */
    public EngineSettings(int maxWaiters, long idleNanos, boolean autoRelease, int maxListLength) {
        this(maxWaiters, idleNanos, autoRelease, maxListLength, Map.of());
    }

    /** With unlimited list length. */
    public EngineSettings(int maxWaiters, long idleNanos, boolean autoRelease) {
        this(maxWaiters, idleNanos, autoRelease, 0);
    }

    public QueuePolicy policy(Key key) {
        return policies.getOrDefault(key, QueuePolicy.FIFO);
    }

    /** When a key may be collected whose last activity was at this time. */
    public long idleEnd(long lastActivityNanos) {
        long end = lastActivityNanos + idleNanos;
        return end < lastActivityNanos ? Long.MAX_VALUE : end;
    }
}
