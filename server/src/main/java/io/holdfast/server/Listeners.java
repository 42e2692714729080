package io.holdfast.server;

import io.holdfast.driver.FailureText;
import io.holdfast.driver.memory.FixedSizeMemoryBudget;
import io.holdfast.server.connection.AddressFormat;
import io.holdfast.server.connection.ServerContext;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.Listener;
import io.holdfast.server.listener.ListenerBinder;
import io.holdfast.server.listener.RunningProtocol;
import io.holdfast.server.listener.ServerProtocol;
import io.holdfast.server.listener.StartException;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The listeners of a server: binds their addresses, accepts connections within the limits, and sets
 * up their pipelines, of which the protocol adds the last part. Used by one thread at a time,
 * except for {@link #bindUnix} and {@link #changeTls}.
 */
final class Listeners implements ListenerBinder {
    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);
    private static final int BACKLOG = 4096;

    /** Heap that a connection reserves, in units of {@link HeapGuard}: 4 KiB, or 16 with TLS. */
    private static final int PLAIN_UNITS = 7;

    private static final int TLS_UNITS = 31;

    /** TCP keep-alive: the idle time before the first probe and the interval of probes. */
    private static final int KEEPALIVE_SECONDS = 15;

    /** Unanswered keep-alive probes after which a connection is reset. */
    private static final int KEEPALIVE_PROBES = 9;

    private final ServerContext server;
    private final IoTransport ioTransport;
    private final EventLoopGroup loops;
    private final EventLoopGroup unixLoops;
    private final ConnectionGate gate;
    private final FixedSizeMemoryBudget connectionBudget;
    private final ChannelGroup connections;
    private final Map<ServerProtocol, RunningProtocol> protocols = new HashMap<>();
    private final List<BoundSocket> sockets = new ArrayList<>();
    private final List<UnixSocketFile> socketFiles = new ArrayList<>();

    /** The listeners that manage their sockets themselves. */
    private final List<Listener> others = new ArrayList<>();

    /** The context for new connections; null without TLS. */
    private volatile @Nullable SslContext tls;

    /** A listener whose address is bound. */
    private record BoundSocket(ListenEndpoint endpoint, Channel channel) {
        /** The address as configured, with the actual port in place of 0. */
        String address() {
            return endpoint.address() instanceof ListenAddress.Tcp tcp
                    ? AddressFormat.join(
                            tcp.host(), ((InetSocketAddress) channel.localAddress()).getPort())
                    : endpoint.toString();
        }
    }

    /**
     * @param unixLoops event loops of Unix sockets; the same as {@code loops} with most transports
     * @param connections all open connections
     */
    Listeners(
            ServerContext server,
            IoTransport ioTransport,
            EventLoopGroup loops,
            EventLoopGroup unixLoops,
            ConnectionGate gate,
            FixedSizeMemoryBudget fixedSizeMemoryBudget,
            ChannelGroup connections,
            @Nullable SslContext tls) {
        this.server = server;
        this.ioTransport = ioTransport;
        this.loops = loops;
        this.unixLoops = unixLoops;
        this.gate = gate;
        this.connectionBudget = fixedSizeMemoryBudget;
        this.connections = connections;
        this.tls = tls;
    }

    /** Uses a protocol that has been started already. */
    void use(ServerProtocol protocol, RunningProtocol running) {
        protocols.put(protocol, running);
    }

    /** Binds an address; no connection is accepted there before {@link #listen}. */
    void bind(ListenEndpoint endpoint) throws StartException {
        protocols
                .computeIfAbsent(endpoint.protocol(), protocol -> protocol.start(server))
                .bind(endpoint, this);
    }

    @Override
    public void bind(ListenEndpoint endpoint, Consumer<ChannelPipeline> handlers)
            throws StartException {
        switch (endpoint.address()) {
            case ListenAddress.Tcp tcp ->
                    sockets.add(new BoundSocket(endpoint, bindTcp(tcp, endpoint, handlers)));
            case ListenAddress.Unix unix ->
                    socketFiles.add(
                            UnixSocketFile.bind(
                                    unix,
                                    path ->
                                            sockets.add(
                                                    new BoundSocket(
                                                            endpoint,
                                                            bindUnix(path, endpoint, handlers)))));
        }
    }

    @Override
    public void add(Listener listener) {
        others.add(listener);
    }

    private Channel bindTcp(
            ListenAddress.Tcp tcp, ListenEndpoint endpoint, Consumer<ChannelPipeline> handlers)
            throws StartException {
        ServerBootstrap bootstrap =
                bootstrap(endpoint, handlers)
                        .group(loops)
                        .channelFactory(ioTransport::newServerChannel)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.SO_KEEPALIVE, true);
        ioTransport
                .keepAlive(KEEPALIVE_SECONDS, KEEPALIVE_SECONDS, KEEPALIVE_PROBES)
                .forEach(bootstrap::childOption);
        try {
            InetAddress address = InetAddress.getByName(tcp.host());
            return bind(bootstrap, new InetSocketAddress(address, tcp.port()));
        } catch (Exception e) { // Netty throws the bind's IOException without declaring it
            throw new StartException(
                    "cannot listen on " + tcp + ": " + FailureText.ofListening(e, tcp.port()), e);
        }
    }

    @Override
    public Channel bindUnix(Path path, ListenEndpoint endpoint, Consumer<ChannelPipeline> handlers)
            throws StartException {
        IoTransport local = ioTransport.forUnix();
        ServerBootstrap bootstrap =
                bootstrap(endpoint, handlers)
                        .group(unixLoops)
                        .channelFactory(local::newUnixServerChannel);
        if (local.hasUnixHalfClosure()) {
            bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        }
        try {
            return bind(bootstrap, local.unixAddress(path));
        } catch (Exception e) { // as above
            throw new StartException("cannot listen on " + endpoint + ": " + FailureText.of(e), e);
        }
    }

    private ServerBootstrap bootstrap(ListenEndpoint endpoint, Consumer<ChannelPipeline> handlers) {
        return new ServerBootstrap()
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.AUTO_READ, false)
                .handler(
                        new AcceptHandler(
                                gate,
                                connectionBudget,
                                endpoint.tls() ? TLS_UNITS : PLAIN_UNITS,
                                endpoint.address() instanceof ListenAddress.Tcp))
                .childHandler(new Initializer(endpoint.tls(), handlers));
    }

    private static Channel bind(ServerBootstrap bootstrap, SocketAddress where) {
        return bootstrap.bind(where).syncUninterruptibly().channel();
    }

    /** Begins to accept connections; every address is bound. */
    void listen() throws StartException {
        for (Listener listener : others) { // first: these can fail
            listener.listen();
            logListening(listener.endpoint(), listener.endpoint().toString());
        }
        for (BoundSocket socket : sockets) {
            socket.channel().config().setAutoRead(true);
            logListening(socket.endpoint(), socket.address());
        }
    }

    private void logListening(ListenEndpoint endpoint, String address) {
        IoTransport used =
                endpoint.address() instanceof ListenAddress.Unix
                        ? ioTransport.forUnix()
                        : ioTransport;
        LOG.atInfo()
                .addKeyValue("addr", address)
                .addKeyValue("protocol", endpoint.scheme())
                .addKeyValue("transport", used.label())
                .log("listening");
    }

    /** The bound addresses of the TCP listeners, in the order of the configuration. */
    List<InetSocketAddress> addresses() {
        return sockets.stream()
                .map(socket -> socket.channel().localAddress())
                .filter(InetSocketAddress.class::isInstance)
                .map(InetSocketAddress.class::cast)
                .toList();
    }

    /** Makes new connections use this context; existing ones are not changed. */
    void changeTls(SslContext next) {
        tls = next;
    }

    /** Stops accepting; may be called again. */
    void close() {
        others.forEach(Listener::stop);
        // First the files: while the sockets are open, no other file can have their identity.
        socketFiles.forEach(UnixSocketFile::remove);
        socketFiles.clear();
        sockets.forEach(socket -> socket.channel().close().syncUninterruptibly());
    }

    private final class Initializer extends ChannelInitializer<Channel> {
        private final boolean usesTls;
        private final Consumer<ChannelPipeline> addHandlers;

        Initializer(boolean usesTls, Consumer<ChannelPipeline> addHandlers) {
            this.usesTls = usesTls;
            this.addHandlers = addHandlers;
        }

        @Override
        protected void initChannel(Channel channel) {
            connections.add(channel);
            if (channel instanceof IoUringSocketChannel socket) {
                channel.pipeline().addLast(new IoUringResetDetector(socket));
            }
            if (usesTls) {
                SslHandler handler = Objects.requireNonNull(tls).newHandler(channel.alloc());
                handler.setHandshakeTimeoutMillis(server.handshakeMillis());
                channel.pipeline().addLast(handler);
            }
            addHandlers.accept(channel.pipeline());
        }
    }
}
