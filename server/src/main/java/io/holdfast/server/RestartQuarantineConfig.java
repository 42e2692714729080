package io.holdfast.server;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How a server that keeps everything in memory protects holds that an earlier run granted before it
 * crashed.
 *
 * @param stateDir where run files are kept; null if there is no such directory
 * @param required whether the start fails if that directory cannot be used
 * @param longestQuarantine the maximum time for which nothing is granted
 */
public record RestartQuarantineConfig(
        @Nullable Path stateDir, boolean required, Duration longestQuarantine) {}
