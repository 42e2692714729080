package io.holdfast.cluster.entry;

import io.holdfast.driver.KeyLimits;
import io.holdfast.engine.EngineSettings;

/**
 * The settings that change outcomes: the same for all nodes at each place of the log.
 *
 * @param sessionNanos how long the sessions of a node outlive the last that was heard of it
 * @param maxSubscriptions how many registrations one listener may have; 0 is no limit
 */
public record ReplicatedSettings(
        EngineSettings settings, KeyLimits caps, long sessionNanos, int maxSubscriptions) {
    public ReplicatedSettings {
        if (sessionNanos <= 0) {
            throw new IllegalArgumentException("sessionNanos must be > 0 but is " + sessionNanos);
        }
    }
}
