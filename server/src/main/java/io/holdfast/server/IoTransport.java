package io.holdfast.server;

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

/** How bytes are moved. AUTO takes the first of the others that works here. */
public enum IoTransport {
    AUTO,
    IO_URING,
    EPOLL,
    KQUEUE,
    NIO;

    private static final String MULTISHOT_ACCEPT = "io.netty.iouring.acceptMultiShotEnabled";

    static {
        // A multishot accept that fails is armed again at once, whatever pause was asked for: with
        // no file descriptor left it would take a whole core. Read when io_uring is first used.
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

    /** The transport to use: this one, or for AUTO the best that works here. */
    IoTransport choose() {
        if (this == AUTO) {
            return Stream.of(IO_URING, EPOLL, KQUEUE, NIO)
                    .filter(IoTransport::isAvailable)
                    .findFirst()
                    .orElseThrow();
        }
        if (!isAvailable()) {
            throw new ConfigException("transport " + label() + " does not work on this system");
        }
        return this;
    }

    /**
     * What to use for Unix sockets: with io_uring, Netty closes one of them as soon as its peer has
     * stopped sending, whatever is still to be answered.
     */
    IoTransport forUnix() {
        return this == IO_URING && EPOLL.isAvailable() ? EPOLL : this;
    }

    /** Whether a Unix socket can stay open for answers when its peer has stopped sending. */
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

    /** Options that make the system ask a silent peer whether it is still there. */
    Map<ChannelOption<Integer>, Integer> keepAlive(int idleSeconds, int everySeconds, int times) {
        return switch (this) {
            case IO_URING ->
                    Map.of(
                            IoUringChannelOption.TCP_KEEPIDLE, idleSeconds,
                            IoUringChannelOption.TCP_KEEPINTVL, everySeconds,
                            IoUringChannelOption.TCP_KEEPCNT, times);
            case EPOLL ->
                    Map.of(
                            EpollChannelOption.TCP_KEEPIDLE, idleSeconds,
                            EpollChannelOption.TCP_KEEPINTVL, everySeconds,
                            EpollChannelOption.TCP_KEEPCNT, times);
            case KQUEUE -> Map.of(); // the system's own times
            case AUTO, NIO ->
                    Map.of(
                            NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), idleSeconds,
                            NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL),
                                    everySeconds,
                            NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), times);
        };
    }
}
