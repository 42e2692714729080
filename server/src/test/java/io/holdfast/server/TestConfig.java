package io.holdfast.server;

import static java.time.Duration.ofSeconds;

import io.holdfast.driver.ClientLimits;
import io.holdfast.driver.Secret;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ListenEndpoint;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** A configuration for tests: free ports on loopback, generous limits, two event loops. */
public final class TestConfig {
    /** Longer than tests wait, so that no test passes because of a timeout. */
    private static final Duration NO_TIMEOUT = Duration.ofMinutes(10);

    private List<ListenEndpoint> listeners =
            List.of(DflockdProtocol.endpoint("127.0.0.1", 0, false));
    private int maxWaiters;
    private Duration idle = ofSeconds(60);
    private boolean autoRelease = true;
    private long maxKeys;
    private long maxEntries;
    private int maxListLength;
    private int maxSubscriptions;
    private ClientLimits perClient = ClientLimits.NONE;
    private long maxPushBytes = 1 << 20;
    private long maxLockdLocks;
    private Set<String> allowedOrigins = Set.of();
    private Consumer<String> events;
    private int maxConnections;
    private int maxConnectionsPerAddress;
    private Duration collectEvery = ofSeconds(5);
    private Duration readTimeout = NO_TIMEOUT;
    private Duration writeTimeout = NO_TIMEOUT;
    private Duration shutdownTimeout = NO_TIMEOUT;
    private Duration maxSessionGrace = ofSeconds(60);
    private Secret secret;
    private TlsFiles tls;
    private Path fenceFile;
    private IoTransport ioTransport = IoTransport.AUTO;
    private int eventLoops = 2;

    public TestConfig listeners(ListenEndpoint... values) {
        listeners = List.of(values);
        return this;
    }

    public TestConfig maxWaiters(int value) {
        maxWaiters = value;
        return this;
    }

    public TestConfig idle(Duration value) {
        idle = value;
        return this;
    }

    public TestConfig autoRelease(boolean value) {
        autoRelease = value;
        return this;
    }

    public TestConfig maxKeys(long value) {
        maxKeys = value;
        return this;
    }

    public TestConfig maxEntries(long value) {
        maxEntries = value;
        return this;
    }

    public TestConfig maxListLength(int value) {
        maxListLength = value;
        return this;
    }

    public TestConfig perClient(ClientLimits value) {
        perClient = value;
        return this;
    }

    public TestConfig maxSubscriptions(int value) {
        maxSubscriptions = value;
        return this;
    }

    public TestConfig maxPushBytes(long value) {
        maxPushBytes = value;
        return this;
    }

    /** The maximum number of keys that only lockd clients use. */
    public TestConfig maxLockdLocks(long value) {
        maxLockdLocks = value;
        return this;
    }

    public TestConfig allowedOrigins(String... values) {
        allowedOrigins = Set.of(values);
        return this;
    }

    public TestConfig events(Consumer<String> value) {
        events = value;
        return this;
    }

    public TestConfig maxConnections(int value) {
        maxConnections = value;
        return this;
    }

    public TestConfig maxConnectionsPerAddress(int value) {
        maxConnectionsPerAddress = value;
        return this;
    }

    public TestConfig collectEvery(Duration value) {
        collectEvery = value;
        return this;
    }

    public TestConfig readTimeout(Duration value) {
        readTimeout = value;
        return this;
    }

    public TestConfig writeTimeout(Duration value) {
        writeTimeout = value;
        return this;
    }

    public TestConfig shutdownTimeout(Duration value) {
        shutdownTimeout = value;
        return this;
    }

    public TestConfig maxSessionGrace(Duration value) {
        maxSessionGrace = value;
        return this;
    }

    public TestConfig secret(String value) {
        secret = new Secret(value.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    public TestConfig tls(TlsFiles value) {
        tls = value;
        return this;
    }

    public TestConfig fenceFile(Path value) {
        fenceFile = value;
        return this;
    }

    public TestConfig transport(IoTransport value) {
        ioTransport = value;
        return this;
    }

    public TestConfig eventLoops(int value) {
        eventLoops = value;
        return this;
    }

    public ServerConfig build() {
        return ServerConfig.builder()
                .listeners(listeners)
                .limits(
                        Limits.builder()
                                .maxLocks(maxKeys)
                                .maxLockdLocks(maxLockdLocks)
                                .maxEntries(maxEntries)
                                .maxWaiters(maxWaiters)
                                .maxListLength(maxListLength)
                                .maxSubscriptions(maxSubscriptions)
                                .maxPushBytes(maxPushBytes)
                                .perClient(perClient)
                                .maxConnections(maxConnections)
                                .maxConnectionsPerAddress(maxConnectionsPerAddress)
                                .build())
                .timeouts(
                        Timeouts.builder()
                                .collectEvery(collectEvery)
                                .idle(idle)
                                .read(readTimeout)
                                .write(writeTimeout)
                                .shutdown(shutdownTimeout)
                                .maxSessionGrace(maxSessionGrace)
                                .build())
                .autoRelease(autoRelease)
                .webSocketOrigins(allowedOrigins)
                .events(events)
                .secret(secret)
                .tls(tls)
                .fenceFile(fenceFile)
                .transport(ioTransport)
                .eventLoops(eventLoops)
                .build();
    }
}
