package io.holdfast.driver;

import io.holdfast.engine.Settings;

import java.time.Duration;

/**
 * What a driver serves by.
 *
 * @param collectEvery how often idle keys are collected
 * @param maxSubscriptions how many registrations one listener of signals may have; 0 is no limit
 * @param room memory for keys, holds, waits and data
 */
public record DriverConfig(
        Settings settings,
        Caps caps,
        Duration collectEvery,
        int maxSubscriptions,
        Room room,
        Watcher watcher) {}
