package io.holdfast.client;

import io.holdfast.client.service.LockService;
import io.holdfast.client.service.ServiceEvents;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.TimerClock;
import io.holdfast.client.wire.WireConfig;
import io.holdfast.client.wire.WireServiceConnector;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Settings of a client.
 *
 * {@snippet :
 * try (Holdfast holdfast =
 *         Holdfast.builder()
 *                 .address("127.0.0.1:6388")
 *                 .grace(Duration.ofSeconds(5))
 *                 .label("nightly-job")
 *                 .connect()) {
 *     holdfast.withLock("deploy", Duration.ofSeconds(10), () -> 0);
 * }
 * }
 */
public final class HoldfastBuilder {
    private List<List<InetSocketAddress>> services = List.of();
    private ShardStrategy strategy = ShardStrategy.CRC32;
    private @Nullable SSLContext tls;
    private @Nullable Supplier<String> authToken;
    private Duration connectTimeout = Duration.ofSeconds(5);
    private Duration readTimeout = Duration.ofSeconds(10);
    private Duration grace = Duration.ofSeconds(3);
    private @Nullable String label;
    private @Nullable Executor executor;
    private final List<Consumer<ConnectionEvent>> connectionActions = new ArrayList<>();
    private final List<ClientListener> listeners = new ArrayList<>();
    private int maxConnections = 64;
    private boolean plain;

    HoldfastBuilder() {}

    /** One server, {@code host:port}. */
    public HoldfastBuilder address(String address) {
        services = List.of(List.of(ClientSettings.address("address", address)));
        return this;
    }

    /**
     * Independent servers: each key belongs to one of them. All clients must name them in the same
     * order.
     */
    public HoldfastBuilder shards(String... addresses) {
        var all = new ArrayList<List<InetSocketAddress>>();
        for (var each : addresses) {
            all.add(List.of(ClientSettings.address("shards", each)));
        }
        services = List.copyOf(all);
        return this;
    }

    /** Which shard has a key; all clients must use the same strategy. Usually by CRC-32. */
    public HoldfastBuilder shardBy(ShardStrategy newStrategy) {
        strategy = newStrategy;
        return this;
    }

    /** One service with several addresses: any of them will do. Not for independent servers. */
    public HoldfastBuilder cluster(String... addresses) {
        var all = new ArrayList<InetSocketAddress>();
        for (var each : addresses) {
            all.add(ClientSettings.address("cluster", each));
        }
        services = List.of(List.copyOf(all));
        return this;
    }

    /** TLS with the certificates that the JVM trusts. */
    public HoldfastBuilder tls() {
        try {
            return tls(SSLContext.getDefault());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
    }

    /** TLS with the certificates in a PEM file. */
    public HoldfastBuilder tls(Path trusted) {
        try (var in = Files.newInputStream(trusted)) {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            var certificates = CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (certificates.isEmpty()) {
                throw new IllegalArgumentException("tls: no certificate in " + trusted);
            }
            int number = 0;
            for (var certificate : certificates) {
                store.setCertificateEntry("trusted-" + ++number, certificate);
            }
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return tls(context);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("tls: cannot use " + trusted, e);
        }
    }

    public HoldfastBuilder tls(SSLContext context) {
        tls = context;
        return this;
    }

    public HoldfastBuilder authToken(String token) {
        checkToken(token);
        authToken = () -> token;
        return this;
    }

    /** Asked at each connect. */
    public HoldfastBuilder authToken(Supplier<String> token) {
        authToken = () -> checkToken(token.get());
        return this;
    }

    private static String checkToken(String token) {
        if (token.isBlank() || token.indexOf('\n') >= 0 || token.indexOf('\r') >= 0) {
            throw new IllegalArgumentException("authToken must not be blank nor have line breaks");
        }
        return token;
    }

    public HoldfastBuilder connectTimeout(Duration timeout) {
        connectTimeout = timeout;
        return this;
    }

    /**
     * After so long without a word from the server the connection counts as dead. Pings go at a
     * third of it.
     */
    public HoldfastBuilder readTimeout(Duration timeout) {
        readTimeout = timeout;
        return this;
    }

    /** How long the server keeps our session when the connection is lost; zero for not at all. */
    public HoldfastBuilder grace(Duration newGrace) {
        grace = newGrace;
        return this;
    }

    /** Who we are, for people; usually {@code host:pid}. */
    public HoldfastBuilder label(String newLabel) {
        label = newLabel;
        return this;
    }

    /** Runs callbacks. Without it virtual threads where there are any, else daemon threads. */
    public HoldfastBuilder executor(Executor newExecutor) {
        executor = newExecutor;
        return this;
    }

    /** Can be called several times: all hear. */
    public HoldfastBuilder onConnection(Consumer<ConnectionEvent> listener) {
        connectionActions.add(listener);
        return this;
    }

    /** Hears what the client does. Can be called several times: all hear. */
    public HoldfastBuilder listener(ClientListener listener) {
        listeners.add(listener);
        return this;
    }

    /** How many connections to a plain dflockd at most. */
    public HoldfastBuilder maxConnections(int most) {
        maxConnections = most;
        return this;
    }

    /** Speaks plain dflockd, whatever the server can. */
    public HoldfastBuilder plain() {
        plain = true;
        return this;
    }

    /**
     * Connects.
     *
     * @throws ServerUnreachableException if there is no server
     * @throws AuthenticationException if it wants another token
     */
    public Holdfast connect() {
        var timeline = new SystemTimerClock();
        var daemonThreads = new DaemonThreads();
        boolean connected = false;
        try {
            var client =
                    connect(
                            WireServiceConnector::connect,
                            timeline,
                            daemonThreads,
                            daemonThreads,
                            () -> {
                                timeline.close();
                                daemonThreads.close();
                            });
            connected = true;
            return client;
        } finally {
            if (!connected) {
                timeline.close();
                daemonThreads.close();
            }
        }
    }

    /** Makes a service. */
    interface Connector {
        LockService connect(WireConfig config, ServiceEvents events, TimerClock timerClock)
                throws ServiceException, InterruptedException;
    }

    RemoteHoldfast connect(
            Connector connector,
            TimerClock timerClock,
            Executor usualCallbacks,
            Executor threads,
            Runnable end) {
        var settings =
                new ClientSettings(
                        services,
                        strategy,
                        tls,
                        authToken,
                        connectTimeout,
                        readTimeout,
                        grace,
                        label == null ? usualLabel() : label,
                        maxConnections,
                        plain);
        var callbacks = executor == null ? usualCallbacks : executor;
        var hearing = new SerialExecutor(callbacks);
        var heard = List.copyOf(listeners);
        var open = new ArrayList<LockService>();
        boolean connected = false;
        try {
            for (var addresses : settings.services()) {
                var config = wireConfig(settings, addresses, threads);
                var relay = relay(ClientSettings.text(addresses.get(0)), callbacks, hearing, heard);
                open.add(connect(connector, config, relay, timerClock));
            }
            connected = true;
        } finally {
            if (!connected) {
                open.forEach(LockService::close);
            }
        }
        var core =
                new ClientCore(
                        new ClientCore.Parts(
                                List.copyOf(open),
                                settings.strategy(),
                                timerClock,
                                callbacks,
                                threads,
                                settings.connectTimeout(),
                                settings.readTimeout(),
                                hearing,
                                heard));
        var first = wireConfig(settings, settings.services().get(0), threads);
        return new RemoteHoldfast(core, () -> SocketDflockd.open(first), end);
    }

    private ConnectionEventDispatcher relay(
            String address,
            Executor callbacks,
            SerialExecutor hearing,
            List<ClientListener> heard) {
        var actions = new ArrayList<>(connectionActions);
        for (var listener : heard) {
            actions.add(event -> hearing.execute(() -> listener.connection(event)));
        }
        return new ConnectionEventDispatcher(
                address, new SerialExecutor(callbacks), List.copyOf(actions));
    }

    private static LockService connect(
            Connector connector, WireConfig config, ServiceEvents events, TimerClock timerClock) {
        var address = ClientSettings.text(config.addresses().get(0));
        try {
            return connector.connect(config, events, timerClock);
        } catch (ServiceException e) {
            throw ClientExceptions.of(e, "connect", address);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerUnreachableException("connect to " + address + ": interrupted", e);
        }
    }

    private static WireConfig wireConfig(
            ClientSettings settings, List<InetSocketAddress> addresses, Executor threads) {
        return new WireConfig(
                addresses,
                settings.tls(),
                settings.authToken(),
                settings.connectTimeout(),
                settings.readTimeout(),
                settings.grace(),
                settings.label(),
                settings.maxConnections(),
                settings.plain(),
                threads);
    }

    private static String usualLabel() {
        var plain = hostName().replaceAll("[^A-Za-z0-9._-]", "-");
        return plain.substring(0, Math.min(100, plain.length()))
                + ":"
                + ProcessHandle.current().pid();
    }

    /** From the environment if it is there: a look-up may ask a name server. */
    private static String hostName() {
        for (var name : List.of("HOSTNAME", "COMPUTERNAME")) {
            var host = System.getenv(name);
            if (host != null && !host.isBlank()) {
                return host;
            }
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
