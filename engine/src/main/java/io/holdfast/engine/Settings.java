package io.holdfast.engine;

/**
 * The settings that change outcomes.
 *
 * @param maxWaiters how many may wait for one key; 0 is no limit
 * @param idleNanos how long a key nobody uses is remembered
 * @param autoRelease whether the end of a session releases its holds
 */
public record Settings(int maxWaiters, long idleNanos, boolean autoRelease) {
    public Settings {
        if (maxWaiters < 0) {
            throw new IllegalArgumentException("maxWaiters must be >= 0 but is " + maxWaiters);
        }
        if (idleNanos < 0) {
            throw new IllegalArgumentException("idleNanos must be >= 0 but is " + idleNanos);
        }
    }
}
