package io.holdfast.driver;

import io.holdfast.engine.Settings;

import java.time.Duration;

/**
 * What a driver serves by.
 *
 * @param perClient how much each client may have
 * @param collectEvery how often idle keys are collected
 * @param maxSubscriptions how many registrations one listener of signals may have; 0 is no limit
 * @param memory for each kind of state
 * @param readRound reads what was sent while the process stood still
 */
public record DriverConfig(
        Settings settings,
        Caps caps,
        ClientCaps perClient,
        Duration collectEvery,
        int maxSubscriptions,
        MemoryBudgets memory,
        Watcher watcher,
        ReadRound readRound) {
    /** Without limits of a client. */
    public DriverConfig(
            Settings settings,
            Caps caps,
            Duration collectEvery,
            int maxSubscriptions,
            MemoryBudgets memory,
            Watcher watcher) {
        this(
                settings,
                caps,
                ClientCaps.NONE,
                collectEvery,
                maxSubscriptions,
                memory,
                watcher,
                ReadRound.NONE);
    }
}
