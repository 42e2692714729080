package io.holdfast.driver;

import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.EngineSettings;

import java.time.Duration;

/**
 * The configuration of a driver.
 *
 * @param keyCountLimits the limits of the whole server
 * @param perClient the limits of each client
 * @param collectEvery how often idle keys are collected
 * @param maxSubscriptions maximum number of registrations of one signal listener; 0 is no limit
 * @param memory the memory budget for each kind of state
 * @param watcher observes the driver
 * @param socketReadBarrier waits until the input that arrived while the process was paused has been
 *     read
 */
public record DriverConfig(
        EngineSettings settings,
        KeyCountLimits keyCountLimits,
        ClientLimits perClient,
        Duration collectEvery,
        int maxSubscriptions,
        MemoryBudgets memory,
        DriverObserver watcher,
        SocketReadBarrier socketReadBarrier) {
    /** Without limits for single clients. */
    public DriverConfig(
            EngineSettings settings,
            KeyCountLimits keyCountLimits,
            Duration collectEvery,
            int maxSubscriptions,
            MemoryBudgets memory,
            DriverObserver watcher) {
        this(
                settings,
                keyCountLimits,
                ClientLimits.NONE,
                collectEvery,
                maxSubscriptions,
                memory,
                watcher,
                SocketReadBarrier.NONE);
    }
}
