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
 * Everything the server is told. A count of 0 is no limit; a write or shutdown timeout of zero
 * never ends.
 *
 * @param listeners none, if there are front ends that listen
 * @param settings its policies are those of the listeners, whatever it says
 * @param maxEntries most counters, values and lists
 * @param maxSubscriptions most registrations of one listener
 * @param maxPushBytes what a listener may leave unread before it is cut off
 * @param perClient what one connection may have, or one session in tagged mode or of HTTP
 * @param maxSessionGrace how long a session in tagged mode may outlive its connection; zero: none
 *     does
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
        requirePathsApart(listeners);
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
        requireNotNegative("maximum of session grace", maxSessionGrace.toSeconds());
        requireNotNegative("maximum of locks", maxLocks);
        requireNotNegative("maximum of counters, values and lists", maxEntries);
        requireNotNegative("maximum of subscriptions", maxSubscriptions);
        requireNotNegative("maximum of unread pushed bytes", maxPushBytes);
        requireNotNegative("maximum of connections", maxConnections);
        requireNotNegative("maximum of connections per address", maxConnectionsPerAddress);
        requireNotNegative("number of event loops", eventLoops);
    }

    private static void requirePathsApart(List<ListenEndpoint> listeners) {
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
