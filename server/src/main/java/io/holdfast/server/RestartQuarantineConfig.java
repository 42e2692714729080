package io.holdfast.server;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How a server that keeps everything in memory protects the holds of the one before it, which did
 * not stop cleanly.
 *
 * @param stateDir where run files are kept; null if there is no such place
 * @param required whether a server does not start where it cannot use that directory
 * @param longestQuarantine how long it grants nothing at most
 */
public record RestartQuarantineConfig(
        @Nullable Path stateDir, boolean required, Duration longestQuarantine) {}
