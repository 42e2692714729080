package io.holdfast.client;

import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceConnector;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.TimerClock;
import io.holdfast.client.internal.thread.DaemonThreads;
import io.holdfast.client.internal.thread.SerialExecutor;
import io.holdfast.client.internal.wire.WireServiceConnector;

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
    private final List<ClientEventListener> listeners = new ArrayList<>();
    private int maxConnections = 64;
    private boolean plain;

    HoldfastBuilder() {}

    /** Uses one server, {@code host:port}. */
    public HoldfastBuilder address(String address) {
        services = List.of(List.of(ClientSettings.address("address", address)));
        return this;
    }

    /**
     * Uses several independent servers: each key belongs to one of them. All clients must list them
     * in the same order.
     */
    public HoldfastBuilder shards(String... addresses) {
        var all = new ArrayList<List<InetSocketAddress>>();
        for (var each : addresses) {
            all.add(List.of(ClientSettings.address("shards", each)));
        }
        services = List.copyOf(all);
        return this;
    }

    /**
     * Sets which shard a key belongs to; all clients must use the same strategy. The default is
     * {@link ShardStrategy#CRC32}.
     */
    public HoldfastBuilder shardBy(ShardStrategy newStrategy) {
        strategy = newStrategy;
        return this;
    }

    /**
     * Uses one service with several addresses, such as the nodes of a cluster: the client connects
     * to any of them. Not for independent servers.
     */
    public HoldfastBuilder cluster(String... addresses) {
        var all = new ArrayList<InetSocketAddress>();
        for (var each : addresses) {
            all.add(ClientSettings.address("cluster", each));
        }
        services = List.of(List.copyOf(all));
        return this;
    }

    /** Uses TLS with the JVM's default trust store. */
    public HoldfastBuilder tls() {
        try {
            return tls(SSLContext.getDefault());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM does not support TLS", e);
        }
    }

    /** Uses TLS and trusts the certificates in a PEM file. */
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

    /** Uses an auth token that is read from the supplier at each connect. */
    public HoldfastBuilder authToken(Supplier<String> token) {
        authToken = () -> checkToken(token.get());
        return this;
    }

    private static String checkToken(String token) {
        if (token.isBlank() || token.indexOf('\n') >= 0 || token.indexOf('\r') >= 0) {
            throw new IllegalArgumentException(
                    "authToken must not be blank or contain line breaks");
        }
        return token;
    }

    public HoldfastBuilder connectTimeout(Duration timeout) {
        connectTimeout = timeout;
        return this;
    }

    /**
     * After this time without any input from the server the connection is considered dead. Pings
     * are sent at a third of it.
     */
    public HoldfastBuilder readTimeout(Duration timeout) {
        readTimeout = timeout;
        return this;
    }

    /**
     * The grace period: how long the server keeps the session of this client after its connection
     * was lost. With zero the session ends with the connection.
     */
    public HoldfastBuilder grace(Duration newGrace) {
        grace = newGrace;
        return this;
    }

    /**
     * The name of this client in listings of the server, for operators. The default is {@code
     * host:pid}.
     */
    public HoldfastBuilder label(String newLabel) {
        label = newLabel;
        return this;
    }

    /**
     * The executor of callbacks. The default is virtual threads if the JVM has them, otherwise
     * daemon threads.
     */
    public HoldfastBuilder executor(Executor newExecutor) {
        executor = newExecutor;
        return this;
    }

    /**
     * Adds a listener of connection events. Can be called several times: all listeners are
     * notified.
     */
    public HoldfastBuilder onConnection(Consumer<ConnectionEvent> listener) {
        connectionActions.add(listener);
        return this;
    }

    /**
     * Adds a listener of the client's operations. Can be called several times: all listeners are
     * notified.
     */
    public HoldfastBuilder listener(ClientEventListener listener) {
        listeners.add(listener);
        return this;
    }

    /** The maximum number of connections to a plain dflockd. */
    public HoldfastBuilder maxConnections(int max) {
        maxConnections = max;
        return this;
    }

    /** Uses plain dflockd mode, even if the server supports tagged mode. */
    public HoldfastBuilder plain() {
        plain = true;
        return this;
    }

    /**
     * Connects.
     *
     * @throws ServerUnreachableException if no server can be reached
     * @throws AuthenticationException if the server rejects the auth token or its absence
     */
    public Holdfast connect() {
        var clock = new SystemTimerClock();
        return connect(WireServiceConnector::connect, clock, null, clock::close);
    }

    /**
     * Connects to something else than servers. For {@code FakeHoldfast}; not an API for users.
     *
     * @param defaultCallbacks runs callbacks unless {@link #executor} was set
     */
    public Holdfast connect(
            ServiceConnector connector, TimerClock timerClock, Executor defaultCallbacks) {
        return connect(connector, timerClock, defaultCallbacks, () -> {});
    }

    private Holdfast connect(
            ServiceConnector connector,
            TimerClock timerClock,
            @Nullable Executor defaultCallbacks,
            Runnable end) {
        var threads = new DaemonThreads();
        Runnable endAll =
                () -> {
                    end.run();
                    threads.close();
                };
        boolean connected = false;
        try {
            var callbacks = defaultCallbacks == null ? threads : defaultCallbacks;
            var client = connect(connector, timerClock, callbacks, threads, endAll);
            connected = true;
            return client;
        } finally {
            if (!connected) {
                endAll.run();
            }
        }
    }

    private Holdfast connect(
            ServiceConnector connector,
            TimerClock timerClock,
            Executor defaultCallbacks,
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
                        label == null ? defaultLabel() : label,
                        maxConnections,
                        plain);
        var callbacks = executor == null ? defaultCallbacks : executor;
        var listenerExecutor = SerialExecutor.on(callbacks);
        var allListeners = List.copyOf(listeners);
        var open = new ArrayList<LockService>();
        boolean connected = false;
        try {
            for (var addresses : settings.services()) {
                var config = serviceConfig(settings, addresses, threads);
                var events =
                        dispatcher(
                                ClientSettings.text(addresses.get(0)),
                                callbacks,
                                listenerExecutor,
                                allListeners);
                open.add(connect(connector, config, events, timerClock));
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
                                listenerExecutor,
                                allListeners));
        var first = serviceConfig(settings, settings.services().get(0), threads);
        return new RemoteHoldfast(core, () -> DflockdSocketConnection.open(first), end);
    }

    private ConnectionEventDispatcher dispatcher(
            String address,
            Executor callbacks,
            SerialExecutor listenerExecutor,
            List<ClientEventListener> allListeners) {
        var actions = new ArrayList<>(connectionActions);
        for (var listener : allListeners) {
            actions.add(event -> listenerExecutor.execute(() -> listener.connection(event)));
        }
        return new ConnectionEventDispatcher(
                address, SerialExecutor.on(callbacks), List.copyOf(actions));
    }

    private static LockService connect(
            ServiceConnector connector,
            ServiceConfig config,
            ServiceEvents events,
            TimerClock timerClock) {
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

    private static ServiceConfig serviceConfig(
            ClientSettings settings, List<InetSocketAddress> addresses, Executor threads) {
        return new ServiceConfig(
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

    private static String defaultLabel() {
        var plain = hostName().replaceAll("[^A-Za-z0-9._-]", "-");
        return plain.substring(0, Math.min(100, plain.length()))
                + ":"
                + ProcessHandle.current().pid();
    }

    /** Prefers the environment, because the lookup of the local host may block on DNS. */
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
