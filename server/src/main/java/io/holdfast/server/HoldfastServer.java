package io.holdfast.server;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.holdfast.driver.ClockFences;
import io.holdfast.driver.Driver;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.DriverSource;
import io.holdfast.driver.Fences;
import io.holdfast.driver.FileFences;
import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.Secret;
import io.holdfast.driver.frontend.FrontEnd;
import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.server.connection.DrainEvent;
import io.holdfast.server.connection.DrainState;
import io.holdfast.server.connection.InputBudget;
import io.holdfast.server.connection.ServerContext;
import io.holdfast.server.connection.SessionGraces;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.dflockd.DflockdService;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.StartException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.internal.PlatformDependent;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import javax.net.ssl.X509KeyManager;

/** A running server: its listeners, its connections and the engine behind them. */
public final class HoldfastServer {
    private static final Logger LOG = LoggerFactory.getLogger(HoldfastServer.class);
    private static final long DRAIN_INTERVAL_MILLIS = 100;

    /** Polls of an event loop in one round: a single poll may not return all ready sockets. */
    private static final int POLLS_PER_ROUND = 4;

    private static final long LOOP_END_MILLIS = 20;
    private static final long LOOPS_END_TIMEOUT_MILLIS = 2000;

    private final ServerConfig config;
    private final HeapGuard heap = new HeapGuard();
    private final FixedSizeMemoryBudget connectionBudget = heap.connections();
    private final EventLoopGroup loops;

    /** Event loops of Unix sockets; the same as {@link #loops} with most transports. */
    private final EventLoopGroup unixLoops;

    private final ServerMonitor serverMonitor =
            new ServerMonitor(LocalDriver.SHARDS, System::nanoTime);
    private final Driver driver;
    private final DrainState drainState = new DrainState();
    private final DflockdService dflockd;
    private final Listeners listeners;

    /** Null without a restart quarantine. */
    private final @Nullable RunFileGraces runFileGraces;

    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final List<FrontEnd> frontEnds = new CopyOnWriteArrayList<>();

    /**
     * All event loops; none while the driver is opened, which may use the input barrier already.
     */
    private final List<EventExecutor> inputLoops = new CopyOnWriteArrayList<>();

    private final AtomicBoolean closed = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    private HoldfastServer(
            ServerConfig config,
            IoTransport ioTransport,
            @Nullable SslContext tls,
            Fences fences,
            DriverSource source,
            @Nullable RestartQuarantineConfig restart)
            throws StartException {
        this.config = config;
        this.driver = open(source); // first: if it fails, nothing has to be undone
        this.loops = newLoops(ioTransport, config);
        this.unixLoops =
                needsUnixLoops(config, ioTransport)
                        ? newLoops(ioTransport.forUnix(), config)
                        : loops;
        this.runFileGraces =
                restart == null
                        ? null
                        : new RunFileGraces(restart, config.timeouts().maxSessionGrace());
        Timeouts timeouts = config.timeouts();
        ServerContext context =
                new ServerContext(
                        driver,
                        serverMonitor,
                        fences,
                        new InputBudget(
                                Math.min(
                                        Runtime.getRuntime().maxMemory() / 8,
                                        PlatformDependent.maxDirectMemory() / 4)),
                        drainState,
                        config.secret(),
                        timeouts.defaultLease(),
                        timeouts.read(),
                        timeouts.write(),
                        runFileGraces == null
                                ? SessionGraces.upTo(timeouts.maxSessionGrace())
                                : runFileGraces,
                        config.autoRelease(),
                        config.limits().maxPushBytes(),
                        config.webSocketOrigins(),
                        config.events());
        this.dflockd = DflockdProtocol.INSTANCE.start(context);
        this.listeners =
                new Listeners(
                        context,
                        ioTransport,
                        loops,
                        unixLoops,
                        new ConnectionGate(
                                config.limits().maxConnections(),
                                config.limits().maxConnectionsPerAddress(),
                                connectionBudget),
                        connectionBudget,
                        connections,
                        tls);
        listeners.use(DflockdProtocol.INSTANCE, dflockd);
    }

    /** Creates a front end and binds its addresses. */
    @FunctionalInterface
    public interface FrontEndStarter {
        FrontEnd start(FrontEndServices frontEndServices) throws StartException;
    }

    /** Starts the server. Everything is undone if any part fails. */
    public static HoldfastServer start(ServerConfig config) throws StartException {
        return start(config, List.of());
    }

    /**
     * Starts the server together with other front ends on the same driver. Everything is undone if
     * any part fails.
     */
    public static HoldfastServer start(ServerConfig config, List<FrontEndStarter> others)
            throws StartException {
        return begin(config, others, null, null);
    }

    /**
     * Starts the server, and records session graces in run files for a restart after a crash.
     * Everything is undone if any part fails.
     */
    public static HoldfastServer start(
            ServerConfig config, List<FrontEndStarter> others, RestartQuarantineConfig restart)
            throws StartException {
        return begin(config, others, null, restart);
    }

    /**
     * Starts the server on a given driver, which has its own fences; the server closes it.
     * Everything is undone if any part fails.
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
                        tls,
                        fences,
                        source == null ? local(fences) : source,
                        restart);
        try {
            server.addInputLoops();
            if (tls != null) {
                LOG.info("TLS enabled");
            }
            server.beginQuarantine(); // before the first request
            // Slow parts first: clients that connect to a bound address wait until the start is
            // done.
            for (FrontEndStarter other : others) {
                server.frontEnds.add(other.start(server.frontEndServices()));
            }
            for (ListenEndpoint listenEndpoint : config.listeners()) {
                server.listeners.bind(listenEndpoint);
            }
            server.confirmQuarantine();
            server.listeners.listen();
            server.frontEnds.forEach(FrontEnd::open);
            return server;
        } catch (StartException | RuntimeException e) {
            if (server.runFileGraces != null) {
                server.runFileGraces.close(false); // keep the run files: they are of an earlier run
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
                            config.engineSettings(),
                            config.limits().keys(),
                            config.limits().perClient(),
                            config.timeouts().collectEvery(),
                            config.limits().maxSubscriptions(),
                            heap.state(),
                            serverMonitor,
                            this::afterInputRead));
        } catch (IOException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
    }

    private void addInputLoops() {
        loops.forEach(inputLoops::add);
        if (!unixLoops.equals(loops)) {
            unixLoops.forEach(inputLoops::add);
        }
    }

    /** Runs a task after every event loop has read the input that its sockets have now. */
    private void afterInputRead(Runnable done) {
        List<EventExecutor> all = List.copyOf(inputLoops);
        List<FrontEnd> others = List.copyOf(frontEnds);
        AtomicInteger left = new AtomicInteger(1 + all.size() + others.size());
        Runnable read =
                () -> {
                    if (left.decrementAndGet() == 0) {
                        done.run();
                    }
                };
        for (EventExecutor loop : all) {
            afterPolls(POLLS_PER_ROUND, loop, read);
        }
        others.forEach(other -> other.afterInputRead(read));
        read.run();
    }

    /**
     * Runs a task after further polls of an event loop, which polls before it runs what was
     * scheduled.
     */
    private static void afterPolls(int polls, EventExecutor loop, Runnable task) {
        try {
            loop.schedule(
                    () -> {
                        if (polls == 0) {
                            task.run();
                        } else {
                            afterPolls(polls - 1, loop, task);
                        }
                    },
                    0,
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException _) {
            task.run(); // the loop has ended, with its sockets
        }
    }

    private FrontEndServices frontEndServices() {
        return new FrontEndServices(
                driver,
                serverMonitor,
                dflockd.counted(),
                connectionBudget,
                dflockd.authFailures(),
                drainState::isOn,
                config.timeouts().defaultLease());
    }

    /** Grants nothing while clients of an earlier run may still rely on holds that it granted. */
    private void beginQuarantine() throws StartException {
        if (runFileGraces == null) {
            return;
        }
        Duration quarantine =
                runFileGraces.open(
                        config.listeners().stream()
                                .filter(HoldfastServer::isReconnectable)
                                .map(ListenEndpoint::address)
                                .map(ListenAddress.Tcp.class::cast)
                                .map(tcp -> new InetSocketAddress(tcp.host(), tcp.port()))
                                .filter(at -> !at.isUnresolved()) // binding it will fail
                                .toList());
        if (quarantine.isPositive()) {
            driver.quarantine(quarantine);
        }
    }

    /**
     * Reads the run files again: until its addresses were bound, the previous run may still have
     * been serving and may have granted longer graces.
     */
    private void confirmQuarantine() throws StartException {
        if (runFileGraces == null) {
            return;
        }
        Duration quarantine = runFileGraces.reread();
        if (quarantine.isZero()) {
            return;
        }
        driver.quarantine(quarantine);
        LOG.atWarn()
                .addKeyValue("until", Instant.now().plus(quarantine).truncatedTo(SECONDS))
                .log(
                        "restart quarantine for {} s: the server was not stopped cleanly, and"
                                + " clients may still hold locks; acquires wait",
                        quarantine.toSeconds());
        ScheduledFuture<?> _ =
                loops.next()
                        .schedule(
                                () -> endQuarantine(runFileGraces),
                                quarantine.toNanos(),
                                TimeUnit.NANOSECONDS);
    }

    private static void endQuarantine(RunFileGraces graces) {
        LOG.info("restart quarantine is over");
        graces.endQuarantine();
    }

    /** Whether a listener has the same port in each run, so that clients can resume sessions. */
    private static boolean isReconnectable(ListenEndpoint listenEndpoint) {
        return listenEndpoint.protocol().hasSessionGraces()
                && listenEndpoint.address() instanceof ListenAddress.Tcp tcp
                && tcp.port() != 0;
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

    /** By default one loop for two processors: clients on the same machine need the others. */
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

    /** The bound addresses of the TCP listeners, in the order of the configuration. */
    public List<InetSocketAddress> addresses() {
        return listeners.addresses();
    }

    /**
     * Reads the certificate and key files again; null without TLS.
     *
     * @throws StartException if a file cannot be used
     */
    public @Nullable X509KeyManager readKey() throws StartException {
        return config.tls() == null ? null : TlsLoader.keyManager(config.tls());
    }

    /**
     * Prepares a change of the secret and the TLS key. Nothing changes until the returned task is
     * run, and that cannot fail. Existing connections and all locks stay.
     *
     * @param secret null if the server was started without one
     * @param key null leaves TLS as it is
     * @throws StartException if the key cannot be used
     */
    public Runnable prepareReload(@Nullable Secret secret, @Nullable X509KeyManager key)
            throws StartException {
        SslContext tls = key == null ? null : TlsLoader.context(key);
        return () -> {
            if (tls != null) {
                listeners.changeTls(tls);
            }
            dflockd.changeSecret(secret);
        };
    }

    /**
     * Stops accepting, lets holders finish until the shutdown timeout is over, then closes. Returns
     * when everything is closed.
     */
    public void drain() {
        drainState.begin(); // before the log line, so that its readers can rely on it
        LOG.info("shutting down, draining connections");
        closeListeners();
        if (!awaitConnections()) {
            LOG.warn("shutdown timeout reached, force-closing connections");
        }
        close();
    }

    /**
     * Sends connections the drain event until all have closed or the shutdown timeout is over. The
     * event is repeated because a hold may also end by its lease or through another connection.
     */
    private boolean awaitConnections() {
        Duration timeout = config.timeouts().shutdown();
        long startNanos = System.nanoTime();
        ChannelGroupFuture allClosed = connections.newCloseFuture();
        do {
            connections.forEach(
                    connection -> connection.pipeline().fireUserEventTriggered(DrainEvent.DRAIN));
            frontEnds.forEach(FrontEnd::drain);
            if (allClosed.awaitUninterruptibly(DRAIN_INTERVAL_MILLIS)) {
                if (frontEnds.stream().allMatch(FrontEnd::isDrained)) {
                    return true;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(DRAIN_INTERVAL_MILLIS));
            }
        } while (timeout.isZero()
                || Duration.ofNanos(System.nanoTime() - startNanos).compareTo(timeout) < 0);
        return false;
    }

    private void closeListeners() {
        drainState.begin();
        frontEnds.forEach(FrontEnd::drain);
        listeners.close();
    }

    /** Failure of one front end must not prevent closing the rest. */
    private static void closeQuietly(FrontEnd frontEnd) {
        try {
            frontEnd.close();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("error while closing a front end");
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
        connections.close().awaitUninterruptibly(LOOPS_END_TIMEOUT_MILLIS);
        held |= dflockd.isAnyHeldWithGrace(); // until now a grant could reach its client
        dflockd.close();
        endLoops();
        if (runFileGraces != null) {
            runFileGraces.close(!held);
        }
        driver.close();
        ended.countDown();
    }

    /**
     * Each loop shuts itself down, from a timer: a loop that another thread shuts down may be woken
     * once more after it has freed memory that io_uring then writes to.
     */
    private void endLoops() {
        endLoops(loops);
        if (!unixLoops.equals(loops)) {
            endLoops(unixLoops);
        }
        loops.terminationFuture().awaitUninterruptibly(LOOPS_END_TIMEOUT_MILLIS);
        unixLoops.terminationFuture().awaitUninterruptibly(LOOPS_END_TIMEOUT_MILLIS);
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
}
