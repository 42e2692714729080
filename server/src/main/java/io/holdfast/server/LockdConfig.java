package io.holdfast.server;

import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.function.Consumer;

/**
 * Settings of all lockd listeners.
 *
 * @param maxLocks maximum number of keys that only lockd clients use; 0 is no limit
 * @param allowedOrigins host names of web origins that may open a WebSocket, in addition to the
 *     server's own
 * @param events receives a line of text for each event, null if events are not logged; called on
 *     event loops, so must not block
 */
public record LockdConfig(
        long maxLocks, Set<String> allowedOrigins, @Nullable Consumer<String> events) {
    public LockdConfig {
        allowedOrigins = Set.copyOf(allowedOrigins);
        if (maxLocks < 0) {
            throw new ConfigException(
                    "the maximum number of lockd locks must be >= 0 (got " + maxLocks + ")");
        }
    }
}
