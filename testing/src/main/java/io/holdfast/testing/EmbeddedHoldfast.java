package io.holdfast.testing;

import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastBuilder;
import io.holdfast.driver.Secret;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.IoTransport;
import io.holdfast.server.Limits;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.Timeouts;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.StartException;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A server in this JVM, on a free port of the loopback address.
 *
 * {@snippet :
 * try (EmbeddedHoldfast server = EmbeddedHoldfast.start()) {
 *     try (Hold hold = server.client().lock("printer").acquire()) {
 *         server.restart(); // the hold is lost with the server's memory
 *     }
 * }
 * }
 */
public final class EmbeddedHoldfast implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    private final @Nullable String authToken;
    private final Duration defaultLease;
    private int port;
    private @Nullable HoldfastServer server;
    private @Nullable Holdfast client;

    private EmbeddedHoldfast(@Nullable String authToken, Duration defaultLease) {
        this.authToken = authToken;
        this.defaultLease = defaultLease;
        server = open();
    }

    /** Starts a server with the default settings. */
    public static EmbeddedHoldfast start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The address as {@code host:port}; it stays the same after a restart. */
    public synchronized String address() {
        return HOST + ":" + port;
    }

    /**
     * A client of this server: the same instance each time, connected at the first call and closed
     * with the server.
     */
    public synchronized Holdfast client() {
        if (client == null) {
            client = clientBuilder().connect();
        }
        return client;
    }

    /**
     * Returns a builder for further clients, with the address and the token set. The caller closes
     * these clients.
     */
    public HoldfastBuilder clientBuilder() {
        HoldfastBuilder builder = Holdfast.builder().address(address());
        return authToken == null ? builder : builder.authToken(authToken);
    }

    public synchronized boolean isRunning() {
        return server != null;
    }

    /** Stops the server at once: all connections and all state are lost. Clients are not closed. */
    public synchronized void stop() {
        if (server != null) {
            server.close();
            server = null;
        }
    }

    /** Stops the server and starts an empty one at the same address. */
    public synchronized void restart() {
        stop();
        server = open();
    }

    /** Closes the {@link #client} and stops the server. */
    @Override
    public synchronized void close() {
        if (client != null) {
            client.close();
            client = null;
        }
        stop();
    }

    private HoldfastServer open() {
        try {
            HoldfastServer opened = HoldfastServer.start(config());
            port = opened.addresses().getFirst().getPort();
            return opened;
        } catch (StartException e) {
            throw new IllegalStateException(
                    "cannot start the server for the test: " + e.getMessage(), e);
        }
    }

    private ServerConfig config() {
        return ServerConfig.builder()
                .listeners(DflockdProtocol.endpoint(HOST, port, false))
                .limits(Limits.builder().maxLocks(0).unlimitedClients().build())
                .timeouts(
                        Timeouts.builder()
                                .defaultLease(defaultLease)
                                .shutdown(Duration.ofSeconds(5))
                                .build())
                .secret(
                        authToken == null
                                ? null
                                : new Secret(authToken.getBytes(StandardCharsets.UTF_8)))
                .transport(IoTransport.NIO)
                .eventLoops(1)
                .build();
    }

    /** Settings of the server. */
    public static final class Builder {
        private @Nullable String authToken;
        private Duration defaultLease = Duration.ofSeconds(33);

        private Builder() {}

        /** Sets the secret with which clients must authenticate. By default there is none. */
        public Builder authToken(String token) {
            authToken = token;
            return this;
        }

        /** Sets the lease of holds for which the client requests none. */
        public Builder defaultLease(Duration lease) {
            defaultLease = lease;
            return this;
        }

        public EmbeddedHoldfast start() {
            return new EmbeddedHoldfast(authToken, defaultLease);
        }
    }
}
