package io.holdfast.driver;

import io.holdfast.engine.EngineSettings;

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
        EngineSettings settings,
        KeyLimits caps,
        ClientLimits perClient,
        Duration collectEvery,
        int maxSubscriptions,
        MemoryBudgets memory,
        DriverObserver watcher,
        ReadRound readRound) {
    /** Without limits of a client. */
    public DriverConfig(
            EngineSettings settings,
            KeyLimits caps,
            Duration collectEvery,
            int maxSubscriptions,
            MemoryBudgets memory,
            DriverObserver watcher) {
        this(
                settings,
                caps,
                ClientLimits.NONE,
                collectEvery,
                maxSubscriptions,
                memory,
                watcher,
                ReadRound.NONE);
    }
}
