package io.holdfast.cluster.entry;

import io.holdfast.driver.KeyCountLimits;
import io.holdfast.engine.EngineSettings;

/**
 * The settings that affect the result of commands: at each index of the log they are the same on
 * all nodes.
 *
 * @param sessionNanos the session timeout: how long the sessions of a node survive its last
 *     contact, in nanoseconds of state time
 * @param maxSubscriptions the maximum number of subscriptions of one listener; 0 is unlimited
 */
public record ReplicatedSettings(
        EngineSettings settings,
        KeyCountLimits keyCountLimits,
        long sessionNanos,
        int maxSubscriptions) {
    public ReplicatedSettings {
        if (sessionNanos <= 0) {
            throw new IllegalArgumentException("sessionNanos must be > 0 but is " + sessionNanos);
        }
    }
}
