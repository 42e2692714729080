package io.holdfast.server.connection;

import io.holdfast.driver.Driver;
import io.holdfast.driver.Fences;
import io.holdfast.driver.Secret;
import io.holdfast.driver.monitor.ServerMonitor;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a server gives to its protocols.
 *
 * @param inputBudget shared by all connections of the server
 * @param secret the secret at the start; null if clients need none
 * @param defaultLease the lease of requests that specify none
 * @param readTimeout how long a client may take for a request or a handshake; zero is no limit
 * @param writeTimeout how long a write may take; zero is no limit
 * @param graces how long sessions may outlive their connections
 * @param autoRelease whether the end of a session releases its holds
 * @param maxPushBytes bytes that a listener of signals may leave unread before it is disconnected
 * @param webSocketOrigins host names of web origins that may open a WebSocket
 * @param events receives a line of text for each event of a protocol that logs them; null if events
 *     are not logged
 */
public record ServerContext(
        Driver driver,
        ServerMonitor serverMonitor,
        Fences fences,
        InputBudget inputBudget,
        DrainState drainState,
        @Nullable Secret secret,
        Duration defaultLease,
        Duration readTimeout,
        Duration writeTimeout,
        SessionGraces graces,
        boolean autoRelease,
        long maxPushBytes,
        Set<String> webSocketOrigins,
        @Nullable Consumer<String> events) {
    private static final Duration MAX_HANDSHAKE = Duration.ofDays(10_000);

    /** The read timeout in milliseconds, limited to a value for which a timer can be set. */
    public long handshakeMillis() {
        return readTimeout.compareTo(MAX_HANDSHAKE) > 0
                ? MAX_HANDSHAKE.toMillis()
                : readTimeout.toMillis();
    }
}
