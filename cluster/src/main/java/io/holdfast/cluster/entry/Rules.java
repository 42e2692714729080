package io.holdfast.cluster.entry;

import io.holdfast.driver.Caps;
import io.holdfast.engine.Settings;

/**
 * The settings that change outcomes: the same for all nodes at each place of the log.
 *
 * @param sessionNanos how long the sessions of a node outlive the last that was heard of it
 * @param maxSubscriptions how many registrations one listener may have; 0 is no limit
 */
public record Rules(Settings settings, Caps caps, long sessionNanos, int maxSubscriptions) {
    public Rules {
        if (sessionNanos <= 0) {
            throw new IllegalArgumentException("sessionNanos must be > 0 but is " + sessionNanos);
        }
    }
}
