package io.holdfast.server;

import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.function.Consumer;

/**
 * What all lockd listeners are told.
 *
 * @param maxLocks most names that only lockd's clients have, 0 is no limit
 * @param allowedOrigins host names of web pages that may use a WebSocket, beside those of this very
 *     server
 * @param events takes a line for each thing that happens, if anybody wants to know; called on event
 *     loops, so must be quick
 */
public record LockdConfig(
        long maxLocks, Set<String> allowedOrigins, @Nullable Consumer<String> events) {
    public LockdConfig {
        allowedOrigins = Set.copyOf(allowedOrigins);
        if (maxLocks < 0) {
            throw new ConfigException(
                    "the maximum of lockd locks must be >= 0 (got " + maxLocks + ")");
        }
    }
}
