package io.holdfast.server;

import io.holdfast.driver.config.ConfigException;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.kqueue.KQueueServerDomainSocketChannel;
import io.netty.channel.kqueue.KQueueServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;

import jdk.net.ExtendedSocketOptions;

import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The Netty transport. AUTO is the first of the others that is available. */
public enum IoTransport {
    AUTO,
    IO_URING,
    EPOLL,
    KQUEUE,
    NIO;

    private static final String MULTISHOT_ACCEPT = "io.netty.iouring.acceptMultiShotEnabled";

    static {
        // A multishot accept that fails is armed again at once, even while accepting is paused:
        // without a free file descriptor it would use a whole core. Netty reads this when io_uring
        // is first used.
        if (System.getProperty(MULTISHOT_ACCEPT) == null) {
            System.setProperty(MULTISHOT_ACCEPT, "false");
        }
    }

    /** The spelling on the command line and in logs. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static IoTransport of(String label) {
        for (IoTransport ioTransport : values()) {
            if (ioTransport.label().equals(label.toLowerCase(Locale.ROOT))) {
                return ioTransport;
            }
        }
        throw new ConfigException(
                "--transport must be auto, io_uring, epoll, kqueue or nio (got " + label + ")");
    }

    boolean isAvailable() {
        return switch (this) {
            case AUTO, NIO -> true;
            case IO_URING -> IoUring.isAvailable();
            case EPOLL -> Epoll.isAvailable();
            case KQUEUE -> KQueue.isAvailable();
        };
    }

    /** The transport to use: this one, or for AUTO the best that is available. */
    IoTransport choose() {
        if (this == AUTO) {
            return Stream.of(IO_URING, EPOLL, KQUEUE, NIO)
                    .filter(IoTransport::isAvailable)
                    .findFirst()
                    .orElseThrow();
        }
        if (!isAvailable()) {
            throw new ConfigException("transport " + label() + " is not available on this system");
        }
        return this;
    }

    /**
     * The transport for Unix sockets: with io_uring, Netty closes a Unix socket as soon as the
     * client has shut down its output, even if responses are still due.
     */
    IoTransport forUnix() {
        return this == IO_URING && EPOLL.isAvailable() ? EPOLL : this;
    }

    /**
     * Whether a Unix socket can stay open for responses after the client has shut down its output.
     */
    boolean hasUnixHalfClosure() {
        return this == EPOLL || this == KQUEUE;
    }

    IoHandlerFactory handlerFactory() {
        return switch (this) {
            case IO_URING -> IoUringIoHandler.newFactory();
            case EPOLL -> EpollIoHandler.newFactory();
            case KQUEUE -> KQueueIoHandler.newFactory();
            case AUTO, NIO -> NioIoHandler.newFactory();
        };
    }

    ServerChannel newServerChannel() {
        return switch (this) {
            case IO_URING -> new IoUringServerSocketChannel();
            case EPOLL -> new EpollServerSocketChannel();
            case KQUEUE -> new KQueueServerSocketChannel();
            case AUTO, NIO -> new NioServerSocketChannel();
        };
    }

    ServerChannel newUnixServerChannel() {
        return switch (this) {
            case IO_URING -> new IoUringServerDomainSocketChannel();
            case EPOLL -> new EpollServerDomainSocketChannel();
            case KQUEUE -> new KQueueServerDomainSocketChannel();
            case AUTO, NIO -> new NioServerDomainSocketChannel();
        };
    }

    SocketAddress unixAddress(Path path) {
        return this == NIO || this == AUTO
                ? UnixDomainSocketAddress.of(path)
                : new DomainSocketAddress(path.toString());
    }

    /** The options of TCP keep-alive. */
    Map<ChannelOption<Integer>, Integer> keepAlive(
            int idleSeconds, int intervalSeconds, int probes) {
        return switch (this) {
            case IO_URING ->
                    Map.of(
                            IoUringChannelOption.TCP_KEEPIDLE, idleSeconds,
                            IoUringChannelOption.TCP_KEEPINTVL, intervalSeconds,
                            IoUringChannelOption.TCP_KEEPCNT, probes);
            case EPOLL ->
                    Map.of(
                            EpollChannelOption.TCP_KEEPIDLE, idleSeconds,
                            EpollChannelOption.TCP_KEEPINTVL, intervalSeconds,
                            EpollChannelOption.TCP_KEEPCNT, probes);
            case KQUEUE -> Map.of(); // the system's defaults
            case AUTO, NIO ->
                    Map.of(
                            NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), idleSeconds,
                            NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL),
                                    intervalSeconds,
                            NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), probes);
        };
    }
}
