package io.holdfast.server;

import io.holdfast.driver.ClientLimits;
import io.holdfast.driver.Secret;
import io.holdfast.engine.EngineSettings;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The configuration of the server. A maximum of 0 is no limit; a write or shutdown timeout of zero
 * is no timeout.
 *
 * @param listeners may be empty if other front ends listen
 * @param settings its queue policies are replaced by those of the listeners
 * @param maxEntries maximum number of counters, values and lists
 * @param maxSubscriptions maximum number of subscriptions of one connection
 * @param maxPushBytes bytes of signals that a listener may leave unread before it is disconnected
 * @param perClient limits of one connection, or of one session in tagged mode or over HTTP
 * @param maxSessionGrace how long a session in tagged mode may outlive its connection at most;
 *     zero: not at all
 */
public record ServerConfig(
        List<ListenEndpoint> listeners,
        EngineSettings settings,
        long maxLocks,
        long maxEntries,
        int maxSubscriptions,
        long maxPushBytes,
        ClientLimits perClient,
        LockdConfig lockd,
        int maxConnections,
        int maxConnectionsPerAddress,
        Duration defaultLease,
        Duration collectEvery,
        Duration readTimeout,
        Duration writeTimeout,
        Duration shutdownTimeout,
        Duration maxSessionGrace,
        @Nullable Secret secret,
        @Nullable TlsFiles tls,
        @Nullable Path fenceFile,
        IoTransport transport,
        int eventLoops) {
    public ServerConfig {
        listeners = List.copyOf(listeners);
        for (ListenEndpoint listenEndpoint : listeners) {
            if (listenEndpoint.tls() && tls == null) {
                throw new ConfigException(
                        "listening with TLS on "
                                + listenEndpoint
                                + " needs a certificate and a key");
            }
        }
        requireDistinctPaths(listeners);
        settings =
                new EngineSettings(
                        settings.maxWaiters(),
                        settings.idleNanos(),
                        settings.autoRelease(),
                        settings.maxListLength(),
                        settings.keepsValues(),
                        KeyQueuePolicies.of(listeners));
        requirePositive("default lease", defaultLease);
        requirePositive("collection interval", collectEvery);
        requirePositive("read timeout", readTimeout);
        requireNotNegative("write timeout", writeTimeout.toSeconds());
        requireNotNegative("shutdown timeout", shutdownTimeout.toSeconds());
        requireNotNegative("maximum session grace", maxSessionGrace.toSeconds());
        requireNotNegative("maximum number of locks", maxLocks);
        requireNotNegative("maximum number of counters, values and lists", maxEntries);
        requireNotNegative("maximum number of subscriptions", maxSubscriptions);
        requireNotNegative("maximum number of unread pushed bytes", maxPushBytes);
        requireNotNegative("maximum number of connections", maxConnections);
        requireNotNegative("maximum number of connections per address", maxConnectionsPerAddress);
        requireNotNegative("number of event loops", eventLoops);
    }

    private static void requireDistinctPaths(List<ListenEndpoint> listeners) {
        Set<Path> paths = new HashSet<>();
        for (ListenEndpoint listenEndpoint : listeners) {
            Path path = listenEndpoint.path();
            if (path != null && !paths.add(path)) {
                throw new ConfigException("two listen addresses have the path " + listenEndpoint);
            }
        }
    }

    private static void requirePositive(String name, Duration value) {
        if (!value.isPositive()) {
            throw new ConfigException("the " + name + " must be > 0 (got " + value + ")");
        }
    }

    private static void requireNotNegative(String name, long value) {
        if (value < 0) {
            throw new ConfigException("the " + name + " must be >= 0 (got " + value + ")");
        }
    }
}
