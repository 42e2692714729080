package io.holdfast.server;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.holdfast.client.socketlock.primary.PrimaryLock;
import io.holdfast.driver.ClockFences;
import io.holdfast.driver.Driver;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.DriverSource;
import io.holdfast.driver.FailureText;
import io.holdfast.driver.Fences;
import io.holdfast.driver.FileFences;
import io.holdfast.driver.FixedSizeMemoryBudget;
import io.holdfast.driver.KeyLimits;
import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.Secret;
import io.holdfast.driver.frontend.FrontEnd;
import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.server.connection.AddressFormat;
import io.holdfast.server.connection.DrainState;
import io.holdfast.server.connection.InputBudget;
import io.holdfast.server.connection.PipelineEvent;
import io.holdfast.server.dflockd.DflockdHandler;
import io.holdfast.server.dflockd.DflockdService;
import io.holdfast.server.dflockd.SessionGraces;
import io.holdfast.server.lockd.ListingBudget;
import io.holdfast.server.lockd.LockdAccess;
import io.holdfast.server.lockd.LockdHandler;
import io.holdfast.server.lockd.LockdService;
import io.holdfast.server.lockd.LockdWebSocketHandler;
import io.holdfast.server.socketlock.SocketlockHandler;
import io.holdfast.server.socketlock.SocketlockService;
import io.holdfast.server.websocket.OriginPolicy;
import io.holdfast.server.websocket.WebSocketUpgrade;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.internal.PlatformDependent;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import javax.net.ssl.X509KeyManager;

/** A running server: its listeners, its connections and the engine behind them. */
public final class HoldfastServer {
    private static final Logger LOG = LoggerFactory.getLogger(HoldfastServer.class);
    private static final int BACKLOG = 4096;
    private static final long DRAIN_TURN_MILLIS = 100;

    /** What a connection needs in heap, in pieces of {@link HeapGuard}: 4 KiB, or 16 with TLS. */
    private static final int PLAIN_PIECES = 7;

    private static final int TLS_PIECES = 31;

    /** A peer that is silent so long is asked whether it is there, so many times in vain. */
    private static final int KEEPALIVE_SECONDS = 15;

    private static final int KEEPALIVE_TIMES = 9;

    /** One look may not see all sockets that are ready. */
    private static final int LOOKS_PER_ROUND = 4;

    /** How long one listing may be written while another waits for memory. */
    private static final Duration LISTING_TIMEOUT = Duration.ofSeconds(5);

    private static final long LOOP_END_MILLIS = 20;
    private static final long LOOPS_END_MOST_MILLIS = 2000;

    private final ServerConfig config;
    private final IoTransport ioTransport;
    private final HeapGuard heap = new HeapGuard();
    private final FixedSizeMemoryBudget connectionBudget = heap.connections();
    private final ConnectionGate gate;
    private final EventLoopGroup loops;

    /** Those of Unix sockets; often the same. */
    private final EventLoopGroup unixLoops;

    private final Fences fences;
    private final ServerMonitor serverMonitor =
            new ServerMonitor(LocalDriver.SHARDS, System::nanoTime);
    private final Driver driver;
    private final SuspendedKeys suspendedKeys;
    private final DrainState drainState = new DrainState();
    private final InputBudget inputBudget =
            new InputBudget(Math.min(Runtime.getRuntime().maxMemory() / 8, mostBuffers() / 4));
    private final DflockdService dflockd;

    /** Of those who connect now; null without TLS. */
    private volatile @Nullable SslContext tls;

    /** Null where a later start need not know of them. */
    private final @Nullable RunFileGraces recorded;

    private final ListingBudget listings =
            new ListingBudget(Runtime.getRuntime().maxMemory() / 8, LISTING_TIMEOUT);
    private final Map<Namespace, LockdService> lockd = new HashMap<>();
    private final OriginPolicy originPolicy;
    private final AtomicLong lastUnixConnection = new AtomicLong();
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final List<BoundEndpoint> listeners = new ArrayList<>();
    private final List<FrontEnd> frontEnds = new CopyOnWriteArrayList<>();
    private final List<SocketlockListener> socketlocks = new ArrayList<>();
    private final List<UnixSocketFile> socketFiles = new ArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    /** An address that is taken. */
    private record BoundEndpoint(ListenEndpoint endpoint, Channel channel) {}

    private HoldfastServer(
            ServerConfig config,
            IoTransport ioTransport,
            Fences fences,
            DriverSource source,
            @Nullable RestartQuarantineConfig restart)
            throws StartException {
        this.config = config;
        this.ioTransport = ioTransport;
        this.fences = fences;
        this.driver = open(source); // first: nothing is to be undone if it fails
        this.gate =
                new ConnectionGate(
                        config.maxConnections(),
                        config.maxConnectionsPerAddress(),
                        connectionBudget);
        this.loops = newLoops(ioTransport, config);
        this.unixLoops =
                needsUnixLoops(config, ioTransport)
                        ? newLoops(ioTransport.forUnix(), config)
                        : loops;
        this.suspendedKeys = new SuspendedKeys(driver);
        this.recorded =
                restart == null ? null : new RunFileGraces(restart, config.maxSessionGrace());
        this.dflockd =
                new DflockdService(
                        driver,
                        serverMonitor,
                        () -> new SignalHub(config.maxSubscriptions(), heap.subscriptions()),
                        inputBudget,
                        drainState,
                        config.secret(),
                        config.defaultLease(),
                        config.readTimeout(),
                        config.writeTimeout(),
                        recorded == null ? SessionGraces.upTo(config.maxSessionGrace()) : recorded,
                        config.settings().autoRelease(),
                        config.maxPushBytes());
        this.originPolicy = new OriginPolicy(config.lockd().allowedOrigins());
    }

    /** Makes a front end, with its addresses taken. */
    @FunctionalInterface
    public interface FrontEndStarter {
        FrontEnd start(FrontEndServices frontEndServices) throws StartException;
    }

    /** Starts listening. Everything is undone if any part fails. */
    public static HoldfastServer start(ServerConfig config) throws StartException {
        return start(config, List.of());
    }

    /**
     * Starts listening, with others that serve the same. Everything is undone if any part fails.
     */
    public static HoldfastServer start(ServerConfig config, List<FrontEndStarter> others)
            throws StartException {
        return begin(config, others, null, null);
    }

    /**
     * Starts listening, and keeps in run files what a start after a crash has to know. Everything
     * is undone if any part fails.
     */
    public static HoldfastServer start(
            ServerConfig config, List<FrontEndStarter> others, RestartQuarantineConfig restart)
            throws StartException {
        return begin(config, others, null, restart);
    }

    /**
     * Starts listening, on a driver from elsewhere, which has fences of its own; the server closes
     * it. Everything is undone if any part fails.
     */
    public static HoldfastServer start(
            ServerConfig config, List<FrontEndStarter> others, DriverSource source)
            throws StartException {
        return begin(config, others, source, null);
    }

    private static HoldfastServer begin(
            ServerConfig config,
            List<FrontEndStarter> others,
            @Nullable DriverSource source,
            @Nullable RestartQuarantineConfig restart)
            throws StartException {
        IoTransport ioTransport = config.transport().choose();
        SslContext tls = config.tls() == null ? null : TlsLoader.load(config.tls());
        Fences fences = source == null ? fences(config.fenceFile()) : new ClockFences();
        HoldfastServer server =
                new HoldfastServer(
                        config,
                        ioTransport,
                        fences,
                        source == null ? local(fences) : source,
                        restart);
        try {
            server.tls = tls;
            if (tls != null) {
                LOG.info("TLS enabled");
            }
            server.beginQuarantine(); // before the first request
            // First what takes long: who connects to an address that is taken waits until the end.
            for (FrontEndStarter other : others) {
                server.frontEnds.add(other.start(server.backend()));
            }
            for (ListenEndpoint listenEndpoint : config.listeners()) {
                server.bind(listenEndpoint);
            }
            server.confirmQuarantine();
            server.listen();
            return server;
        } catch (StartException | RuntimeException e) {
            if (server.recorded != null) {
                server.recorded.close(false); // what is there belongs to others
            }
            server.close();
            throw e;
        }
    }

    private static DriverSource local(Fences fences) {
        return config -> new LocalDriver(config, fences);
    }

    private Driver open(DriverSource source) throws StartException {
        try {
            return source.open(
                    new DriverConfig(
                            config.settings(),
                            new KeyLimits(
                                    config.maxLocks(),
                                    config.lockd().maxLocks(),
                                    config.maxEntries()),
                            config.perClient(),
                            config.collectEvery(),
                            config.maxSubscriptions(),
                            heap.state(),
                            serverMonitor,
                            this::readRound));
        } catch (IOException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Runs a task once every event loop has read what its sockets have now. */
    private void readRound(Runnable done) {
        List<EventExecutor> all = new ArrayList<>();
        loops.forEach(all::add);
        if (!unixLoops.equals(loops)) {
            unixLoops.forEach(all::add);
        }
        List<FrontEnd> others = List.copyOf(frontEnds);
        AtomicInteger left = new AtomicInteger(all.size() + others.size());
        Runnable read =
                () -> {
                    if (left.decrementAndGet() == 0) {
                        done.run();
                    }
                };
        for (EventExecutor loop : all) {
            afterLooks(LOOKS_PER_ROUND, loop, read);
        }
        others.forEach(other -> other.readRound(read));
    }

    /** A loop runs what is scheduled after it has looked at its sockets once more. */
    private static void afterLooks(int looks, EventExecutor loop, Runnable task) {
        try {
            loop.schedule(
                    () -> {
                        if (looks == 0) {
                            task.run();
                        } else {
                            afterLooks(looks - 1, loop, task);
                        }
                    },
                    0,
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException _) {
            task.run(); // it has ended, with its sockets
        }
    }

    private FrontEndServices backend() {
        return new FrontEndServices(
                driver,
                serverMonitor,
                dflockd.signals(),
                dflockd.counted(),
                connectionBudget,
                dflockd.authFailures(),
                drainState::isOn,
                config.defaultLease());
    }

    /** Grants nothing while clients of an earlier run may go by what they held there. */
    private void beginQuarantine() throws StartException {
        if (recorded == null || !(driver instanceof LocalDriver local)) {
            return;
        }
        Duration quarantine =
                recorded.open(
                        config.listeners().stream()
                                .filter(HoldfastServer::isFixedDflockd)
                                .map(ListenEndpoint::address)
                                .map(ListenAddress.Tcp.class::cast)
                                .map(tcp -> new InetSocketAddress(tcp.host(), tcp.port()))
                                .filter(at -> !at.isUnresolved()) // the start will end with that
                                .toList());
        if (quarantine.isPositive()) {
            local.quarantine(quarantine);
        }
    }

    /**
     * Looks once more: until its addresses were taken, the run before may have been there and may
     * have promised more.
     */
    private void confirmQuarantine() throws StartException {
        if (recorded == null || !(driver instanceof LocalDriver local)) {
            return;
        }
        Duration quarantine = recorded.reread();
        if (quarantine.isZero()) {
            return;
        }
        local.quarantine(quarantine);
        LOG.atWarn()
                .addKeyValue("until", Instant.now().plus(quarantine).truncatedTo(SECONDS))
                .log(
                        "restart quarantine for {} s: the server was not stopped cleanly, and"
                                + " clients may still hold locks; acquires wait",
                        quarantine.toSeconds());
        ScheduledFuture<?> _ =
                loops.next()
                        .schedule(
                                () -> endQuarantine(recorded),
                                quarantine.toNanos(),
                                TimeUnit.NANOSECONDS);
    }

    private static void endQuarantine(RunFileGraces graces) {
        LOG.info("restart quarantine is over");
        graces.endQuarantine();
    }

    /** A port that is another one each time is no place to come back to. */
    private static boolean isFixedDflockd(ListenEndpoint listenEndpoint) {
        return listenEndpoint.protocol() instanceof ListenerProtocol.Dflockd
                && listenEndpoint.address() instanceof ListenAddress.Tcp tcp
                && tcp.port() != 0;
    }

    /** Of buffers outside of the heap. */
    private static long mostBuffers() {
        return PlatformDependent.maxDirectMemory();
    }

    private static boolean needsUnixLoops(ServerConfig config, IoTransport ioTransport) {
        return ioTransport.forUnix() != ioTransport
                && config.listeners().stream()
                        .anyMatch(
                                listenEndpoint ->
                                        listenEndpoint.address() instanceof ListenAddress.Unix);
    }

    private static EventLoopGroup newLoops(IoTransport ioTransport, ServerConfig config) {
        return new MultiThreadIoEventLoopGroup(
                eventLoops(config),
                new DefaultThreadFactory("holdfast-io", true),
                ioTransport.handlerFactory());
    }

    /** One loop for each two processors: clients on this machine need the others. */
    private static int eventLoops(ServerConfig config) {
        return config.eventLoops() > 0
                ? config.eventLoops()
                : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    private static Fences fences(@Nullable Path file) throws StartException {
        if (file == null) {
            return new ClockFences();
        }
        try {
            return FileFences.open(file);
        } catch (IOException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Takes an address; nothing is accepted there before {@link #listen}. */
    private void bind(ListenEndpoint listenEndpoint) throws StartException {
        switch (listenEndpoint.address()) {
            case ListenAddress.Tcp tcp ->
                    listeners.add(
                            new BoundEndpoint(
                                    listenEndpoint, bindTcp(tcp, bootstrap(listenEndpoint))));
            case ListenAddress.Unix unix -> {
                if (listenEndpoint.protocol() instanceof ListenerProtocol.Socketlock socketlock) {
                    socketlocks.add(bindSocketlock(listenEndpoint, unix, socketlock));
                } else {
                    socketFiles.add(
                            UnixSocketFile.bind(
                                    unix,
                                    path ->
                                            listeners.add(
                                                    new BoundEndpoint(
                                                            listenEndpoint,
                                                            bindUnix(
                                                                    path,
                                                                    unix,
                                                                    bootstrap(listenEndpoint))))));
                }
            }
        }
    }

    private SocketlockListener bindSocketlock(
            ListenEndpoint listenEndpoint,
            ListenAddress.Unix address,
            ListenerProtocol.Socketlock protocol)
            throws StartException {
        Key key = listenEndpoint.lock(protocol);
        return SocketlockListener.acquirePath(
                listenEndpoint,
                address,
                key,
                suspendedKeys,
                (primaryLock, look) -> socketlock(key, protocol, primaryLock, look),
                (path, service, open) -> {
                    Consumer<ChannelPipeline> speak =
                            pipeline -> {
                                open.add(pipeline.channel());
                                pipeline.addLast(new SocketlockHandler(service));
                            };
                    return bindUnix(
                            path,
                            address,
                            bootstrap(listenEndpoint, new Initializer(false, speak)));
                });
    }

    private SocketlockService socketlock(
            Key key, ListenerProtocol.Socketlock protocol, PrimaryLock primaryLock, Runnable look) {
        fences.raise(primaryLock.fenceFloor());
        return new SocketlockService(
                driver,
                serverMonitor,
                key,
                protocol.limits(),
                inputBudget,
                drainState,
                primaryLock,
                fences::next,
                look,
                protocol.events() == null && LOG.isDebugEnabled() ? LOG::debug : protocol.events());
    }

    private ServerBootstrap bootstrap(ListenEndpoint listenEndpoint) {
        return bootstrap(
                listenEndpoint, new Initializer(listenEndpoint.tls(), pipelineOf(listenEndpoint)));
    }

    private ServerBootstrap bootstrap(ListenEndpoint listenEndpoint, Initializer initializer) {
        return new ServerBootstrap()
                .group(listenEndpoint.address() instanceof ListenAddress.Unix ? unixLoops : loops)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.AUTO_READ, false)
                .handler(
                        new AcceptHandler(
                                gate,
                                connectionBudget,
                                initializer.usesTls ? TLS_PIECES : PLAIN_PIECES,
                                listenEndpoint.address() instanceof ListenAddress.Tcp))
                .childHandler(initializer);
    }

    private Channel bindTcp(ListenAddress.Tcp tcp, ServerBootstrap bootstrap)
            throws StartException {
        bootstrap
                .channelFactory(ioTransport::newServerChannel)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true);
        ioTransport
                .keepAlive(KEEPALIVE_SECONDS, KEEPALIVE_SECONDS, KEEPALIVE_TIMES)
                .forEach(bootstrap::childOption);
        try {
            InetAddress address = InetAddress.getByName(tcp.host());
            return bind(bootstrap, new InetSocketAddress(address, tcp.port()));
        } catch (Exception e) { // Netty throws the bind's IOException without declaring it
            throw new StartException(
                    "cannot listen on " + tcp + ": " + FailureText.ofListening(e, tcp.port()), e);
        }
    }

    private Channel bindUnix(Path path, ListenAddress.Unix unix, ServerBootstrap bootstrap)
            throws StartException {
        IoTransport local = ioTransport.forUnix();
        bootstrap.channelFactory(local::newUnixServerChannel);
        if (local.hasUnixHalfClosure()) {
            bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        }
        try {
            return bind(bootstrap, local.unixAddress(path));
        } catch (Exception e) { // likewise
            throw new StartException("cannot listen on " + unix + ": " + FailureText.of(e), e);
        }
    }

    private static Channel bind(ServerBootstrap bootstrap, SocketAddress where) {
        return bootstrap.bind(where).syncUninterruptibly().channel();
    }

    /** Begins to accept, now that every address is taken. */
    private void listen() throws StartException {
        for (SocketlockListener listener : socketlocks) {
            listener.listen();
            logListening(listener.endpoint(), listener.endpoint().toString());
        }
        for (BoundEndpoint listener : listeners) {
            listener.channel().config().setAutoRead(true);
            logListening(listener.endpoint(), addressOf(listener.endpoint(), listener.channel()));
        }
        frontEnds.forEach(FrontEnd::open);
    }

    private void logListening(ListenEndpoint listenEndpoint, String address) {
        LOG.atInfo()
                .addKeyValue("addr", address)
                .addKeyValue("protocol", listenEndpoint.scheme())
                .addKeyValue("transport", transportOf(listenEndpoint).label())
                .log("listening");
    }

    private IoTransport transportOf(ListenEndpoint listenEndpoint) {
        return listenEndpoint.address() instanceof ListenAddress.Unix
                ? ioTransport.forUnix()
                : ioTransport;
    }

    /** The address as it was given, with the port that was taken for 0. */
    private static String addressOf(ListenEndpoint listenEndpoint, Channel listener) {
        return switch (listenEndpoint.address()) {
            case ListenAddress.Tcp tcp ->
                    AddressFormat.join(
                            tcp.host(), ((InetSocketAddress) listener.localAddress()).getPort());
            case ListenAddress.Unix unix -> unix.toString();
        };
    }

    /** Where the listeners on TCP are, in the order of the configuration. */
    public List<InetSocketAddress> addresses() {
        return listeners.stream()
                .map(listener -> listener.channel().localAddress())
                .filter(InetSocketAddress.class::isInstance)
                .map(InetSocketAddress.class::cast)
                .toList();
    }

    /**
     * Certificate and key as the files have them now; null without TLS.
     *
     * @throws StartException if a file cannot be used
     */
    public @Nullable X509KeyManager readKey() throws StartException {
        return config.tls() == null ? null : TlsLoader.keyManager(config.tls());
    }

    /**
     * Checks what new connections shall use; nothing changes before the result is run, and that
     * cannot fail. Connections that are there, and all locks, stay.
     *
     * @param secret null if there was none from the start
     * @param key null leaves TLS as it is
     * @throws StartException if the key cannot be used
     */
    public Runnable prepareReload(@Nullable Secret secret, @Nullable X509KeyManager key)
            throws StartException {
        SslContext next = key == null ? tls : TlsLoader.context(key);
        return () -> {
            tls = next;
            dflockd.changeSecret(secret);
        };
    }

    /**
     * Stops accepting, lets holders finish until the shutdown timeout ends, then closes. Returns
     * when everything is closed.
     */
    public void drain() {
        drainState.begin(); // first: who reads the line may count on it
        LOG.info("shutting down, draining connections");
        closeListeners();
        if (!awaitConnections()) {
            LOG.warn("shutdown timeout reached, force-closing connections");
        }
        close();
    }

    /**
     * Tells connections to finish until all have, or the time is over. They are told again and
     * again because a hold may also end by its lease or through another connection.
     */
    private boolean awaitConnections() {
        Duration most = config.shutdownTimeout();
        long startNanos = System.nanoTime();
        ChannelGroupFuture allClosed = connections.newCloseFuture();
        do {
            connections.forEach(
                    connection ->
                            connection.pipeline().fireUserEventTriggered(PipelineEvent.DRAIN));
            frontEnds.forEach(FrontEnd::drain);
            if (allClosed.awaitUninterruptibly(DRAIN_TURN_MILLIS)) {
                if (frontEnds.stream().allMatch(FrontEnd::isDrained)) {
                    return true;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(DRAIN_TURN_MILLIS));
            }
        } while (most.isZero()
                || Duration.ofNanos(System.nanoTime() - startNanos).compareTo(most) < 0);
        return false;
    }

    private static long saturatedMillis(Duration span) {
        return span.compareTo(Duration.ofDays(10_000)) > 0
                ? Duration.ofDays(10_000).toMillis()
                : span.toMillis();
    }

    private void closeListeners() {
        drainState.begin();
        frontEnds.forEach(FrontEnd::drain);
        socketlocks.forEach(SocketlockListener::stop);
        // First the files: while the sockets are open, no other file can have their identity.
        socketFiles.forEach(UnixSocketFile::remove);
        socketFiles.clear();
        listeners.forEach(listener -> listener.channel().close().syncUninterruptibly());
    }

    /** What goes wrong in one must not keep the rest from being closed. */
    private static void closeQuietly(FrontEnd frontEnd) {
        try {
            frontEnd.close();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a front end did not close");
        }
    }

    /** Closes everything at once. */
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        closeListeners();
        boolean held = dflockd.isAnyHeldWithGrace();
        frontEnds.forEach(HoldfastServer::closeQuietly);
        connections.close().awaitUninterruptibly(LOOPS_END_MOST_MILLIS);
        held |= dflockd.isAnyHeldWithGrace(); // until now a grant could reach its client
        dflockd.close();
        endLoops();
        if (recorded != null) {
            recorded.close(!held);
        }
        driver.close();
        ended.countDown();
    }

    /**
     * Each loop ends itself, from a timer: one that is told to end by another thread may be woken
     * once more after it has freed what io_uring then writes to.
     */
    private void endLoops() {
        endLoops(loops);
        if (!unixLoops.equals(loops)) {
            endLoops(unixLoops);
        }
        loops.terminationFuture().awaitUninterruptibly(LOOPS_END_MOST_MILLIS);
        unixLoops.terminationFuture().awaitUninterruptibly(LOOPS_END_MOST_MILLIS);
    }

    private static void endLoops(EventLoopGroup group) {
        for (EventExecutor loop : group) {
            loop.schedule(
                    () -> loop.shutdownGracefully(0, 1, TimeUnit.SECONDS),
                    LOOP_END_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Waits until the server has closed. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    private LockdService lockd(Namespace namespace) {
        return new LockdService(
                driver,
                serverMonitor,
                namespace,
                inputBudget,
                drainState,
                listings,
                config.readTimeout(),
                config.writeTimeout(),
                config.lockd().events());
    }

    private Consumer<ChannelPipeline> pipelineOf(ListenEndpoint listenEndpoint) {
        return switch (listenEndpoint.protocol()) {
            case ListenerProtocol.Dflockd(Namespace namespace) ->
                    pipeline -> pipeline.addLast(new DflockdHandler(dflockd, namespace));
            case ListenerProtocol.Lockd protocol ->
                    lockdPipelineOf(listenEndpoint.address(), protocol);
            case ListenerProtocol.Socketlock _ ->
                    throw new IllegalStateException("a socketlock listener has its own");
        };
    }

    private Consumer<ChannelPipeline> lockdPipelineOf(
            ListenAddress listenAddress, ListenerProtocol.Lockd protocol) {
        LockdAccess access = new LockdAccess(protocol.allowDump(), protocol.enableRegistry());
        LockdService service = lockd.computeIfAbsent(protocol.namespace(), this::lockd);
        if (protocol.webSocket()) {
            return pipeline ->
                    new WebSocketUpgrade(
                                    originPolicy,
                                    saturatedMillis(config.readTimeout()),
                                    () -> new LockdWebSocketHandler(service, access))
                            .addTo(pipeline, inputBudget);
        }
        if (listenAddress instanceof ListenAddress.Unix) {
            return pipeline ->
                    pipeline.addLast(
                            new LockdHandler(
                                    service,
                                    access,
                                    "unix:" + lastUnixConnection.incrementAndGet()));
        }
        return pipeline -> pipeline.addLast(new LockdHandler(service, access, null));
    }

    private final class Initializer extends ChannelInitializer<Channel> {
        private final boolean usesTls;
        private final Consumer<ChannelPipeline> speak;

        Initializer(boolean usesTls, Consumer<ChannelPipeline> speak) {
            this.usesTls = usesTls;
            this.speak = speak;
        }

        @Override
        protected void initChannel(Channel channel) {
            connections.add(channel);
            if (channel instanceof IoUringSocketChannel socket) {
                channel.pipeline().addLast(new ConnectionResetDetector(socket));
            }
            if (usesTls) {
                SslHandler handler = Objects.requireNonNull(tls).newHandler(channel.alloc());
                handler.setHandshakeTimeoutMillis(saturatedMillis(config.readTimeout()));
                channel.pipeline().addLast(handler);
            }
            speak.accept(channel.pipeline());
        }
    }
}
