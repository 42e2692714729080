package io.holdfast.verification.bench;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringSocketChannel;

/** The network transports of the tool, fastest first. */
enum BenchNetworkIo {
    IO_URING("io_uring"),
    EPOLL("epoll"),
    NIO("nio");

    private static final int SUBMISSIONS = 1024;
    private static final int MIN_COMPLETIONS = 4096;

    /** The kernel's limit. */
    private static final int MAX_COMPLETIONS = 65_536;

    private final String label;

    BenchNetworkIo(String label) {
        this.label = label;
    }

    /** Returns the first that is available on this machine. */
    static BenchNetworkIo best() {
        for (var benchNetworkIo : values()) {
            if (benchNetworkIo.available()) {
                return benchNetworkIo;
            }
        }
        return NIO;
    }

    /** Throws {@link IllegalArgumentException} with a message for the user. */
    static BenchNetworkIo named(String name) {
        if (name.equals("auto")) {
            return best();
        }
        for (var benchNetworkIo : values()) {
            if (benchNetworkIo.label.equals(name)) {
                if (!benchNetworkIo.available()) {
                    throw new IllegalArgumentException(
                            "--transport " + name + " is not available on this machine");
                }
                return benchNetworkIo;
            }
        }
        throw new IllegalArgumentException(
                "--transport must be auto, io_uring, epoll or nio (got \"" + name + "\")");
    }

    boolean available() {
        return switch (this) {
            case IO_URING -> IoUring.isAvailable();
            case EPOLL -> Epoll.isAvailable();
            case NIO -> true;
        };
    }

    /** Returns the handlers of one event loop with this number of connections. */
    IoHandlerFactory handlers(int connections) {
        return switch (this) {
            case IO_URING -> IoUringIoHandler.newFactory(rings(connections));
            case EPOLL -> EpollIoHandler.newFactory();
            case NIO -> NioIoHandler.newFactory();
        };
    }

    Class<? extends SocketChannel> channel() {
        return switch (this) {
            case IO_URING -> IoUringSocketChannel.class;
            case EPOLL -> EpollSocketChannel.class;
            case NIO -> NioSocketChannel.class;
        };
    }

    /** Sizes the completion queue for all connections at once; the size must be a power of two. */
    private static IoUringIoHandlerConfig rings(int connections) {
        long required = Math.clamp(4L * connections, MIN_COMPLETIONS, MAX_COMPLETIONS);
        int completions = Integer.highestOneBit((int) required - 1) << 1;
        return new IoUringIoHandlerConfig().setRingSize(SUBMISSIONS).setCqSize(completions);
    }

    @Override
    public String toString() {
        return label;
    }
}
