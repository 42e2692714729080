package io.holdfast.server;

import io.holdfast.driver.ClockFences;
import io.holdfast.driver.Driver;
import io.holdfast.driver.Fences;
import io.holdfast.driver.FileFences;
import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.Room;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.server.connection.ConnectionEvent;
import io.holdfast.server.dflockd.DflockdHandler;
import io.holdfast.server.dflockd.DflockdService;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A running server: its listeners, its connections and the engine behind them. */
public final class HoldfastServer {
    private static final Logger LOG = LoggerFactory.getLogger(HoldfastServer.class);
    private static final int BACKLOG = 4096;
    private static final long DRAIN_TURN_MILLIS = 100;

    /** What a connection needs in heap, in pieces of {@link HeapGuard}: 4 KiB, or 16 with TLS. */
    private static final int PLAIN_PIECES = 7;

    private static final int TLS_PIECES = 31;

    private static final long LOOP_END_MILLIS = 20;
    private static final long LOOPS_END_MOST_MILLIS = 2000;

    private final ServerConfig config;
    private final Transport transport;
    private final HeapGuard room = new HeapGuard();
    private final Room connectionRoom = room.forConnections();
    private final ConnectionGate gate;
    private final EventLoopGroup loops;
    private final Driver driver;
    private final DflockdService dflockd;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final List<Channel> listeners = new ArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    private HoldfastServer(ServerConfig config, Transport transport, Fences fences) {
        this.config = config;
        this.transport = transport;
        this.gate =
                new ConnectionGate(
                        config.maxConnections(), config.maxConnectionsPerAddress(), connectionRoom);
        this.loops =
                new MultiThreadIoEventLoopGroup(
                        eventLoops(config),
                        new DefaultThreadFactory("holdfast-io", true),
                        transport.handlerFactory());
        this.driver =
                new LocalDriver(
                        config.settings(),
                        config.maxLocks(),
                        config.maxEntries(),
                        config.collectEvery(),
                        fences,
                        room);
        this.dflockd =
                new DflockdService(
                        driver,
                        new SignalHub(config.maxSubscriptions(), room),
                        config.secret(),
                        config.defaultLease(),
                        config.readTimeout(),
                        config.writeTimeout(),
                        config.maxPushBytes());
    }

    /** Starts listening. Everything is undone if any part fails. */
    public static HoldfastServer start(ServerConfig config) throws StartException {
        Transport transport = config.transport().choose();
        SslContext tls = config.tls() == null ? null : TlsLoader.load(config.tls());
        HoldfastServer server = new HoldfastServer(config, transport, fences(config.fenceFile()));
        try {
            if (tls != null) {
                LOG.info("TLS enabled");
            }
            for (Endpoint endpoint : config.listeners()) {
                server.listen(endpoint, endpoint.tls() ? tls : null);
            }
            return server;
        } catch (StartException e) {
            server.close();
            throw e;
        }
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

    private void listen(Endpoint endpoint, @Nullable SslContext tls) throws StartException {
        ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(loops)
                        .channelFactory(transport::newServerChannel)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .handler(
                                new AcceptHandler(
                                        gate,
                                        connectionRoom,
                                        tls == null ? PLAIN_PIECES : TLS_PIECES))
                        .childHandler(new Initializer(tls));
        try {
            InetAddress address = InetAddress.getByName(endpoint.host());
            Channel listener =
                    bootstrap
                            .bind(new InetSocketAddress(address, endpoint.port()))
                            .syncUninterruptibly()
                            .channel();
            listeners.add(listener);
            LOG.atInfo()
                    .addKeyValue("addr", endpoint.withPort(portOf(listener)))
                    .addKeyValue("protocol", tls == null ? "dflockd" : "dflockds")
                    .addKeyValue("transport", transport.label())
                    .log("listening");
        } catch (UnknownHostException e) {
            throw new StartException("cannot listen on " + endpoint + ": unknown host", e);
        } catch (Exception e) { // Netty throws the bind's IOException without declaring it
            throw new StartException(
                    "cannot listen on " + endpoint + ": " + StartException.reason(e), e);
        }
    }

    private static int portOf(Channel listener) {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /** Where the listeners are, in the order of the configuration. */
    public List<InetSocketAddress> addresses() {
        return listeners.stream().map(c -> (InetSocketAddress) c.localAddress()).toList();
    }

    /**
     * Stops accepting, lets holders finish until the shutdown timeout ends, then closes. Returns
     * when everything is closed.
     */
    public void drain() {
        LOG.info("shutting down, draining connections");
        dflockd.drain();
        listeners.forEach(listener -> listener.close().syncUninterruptibly());
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
                            connection.pipeline().fireUserEventTriggered(ConnectionEvent.DRAIN));
            if (allClosed.awaitUninterruptibly(DRAIN_TURN_MILLIS)) {
                return true;
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

    /** Closes everything at once. */
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        dflockd.drain();
        listeners.forEach(listener -> listener.close().syncUninterruptibly());
        connections.close().awaitUninterruptibly(LOOPS_END_MOST_MILLIS);
        endLoops();
        driver.close();
        ended.countDown();
    }

    /**
     * Each loop ends itself, from a timer: one that is told to end by another thread may be woken
     * once more after it has freed what io_uring then writes to.
     */
    private void endLoops() {
        for (EventExecutor loop : loops) {
            loop.schedule(
                    () -> loop.shutdownGracefully(0, 1, TimeUnit.SECONDS),
                    LOOP_END_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
        loops.terminationFuture().awaitUninterruptibly(LOOPS_END_MOST_MILLIS);
    }

    /** Waits until the server has closed. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    private final class Initializer extends ChannelInitializer<Channel> {
        private final @Nullable SslContext tls;

        Initializer(@Nullable SslContext tls) {
            this.tls = tls;
        }

        @Override
        protected void initChannel(Channel channel) {
            connections.add(channel);
            if (tls != null) {
                SslHandler handler = tls.newHandler(channel.alloc());
                handler.setHandshakeTimeoutMillis(saturatedMillis(config.readTimeout()));
                channel.pipeline().addLast(handler);
            }
            channel.pipeline().addLast(new DflockdHandler(dflockd));
        }
    }
}
