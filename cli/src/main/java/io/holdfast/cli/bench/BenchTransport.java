package io.holdfast.cli.bench;

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

/** How the tool does its network input and output, fastest first. */
enum BenchTransport {
    IO_URING("io_uring"),
    EPOLL("epoll"),
    NIO("nio");

    private static final int SUBMISSIONS = 1024;
    private static final int MIN_COMPLETIONS = 4096;

    /** The kernel's limit. */
    private static final int MAX_COMPLETIONS = 65_536;

    private final String label;

    BenchTransport(String label) {
        this.label = label;
    }

    /** The first that works on this machine. */
    static BenchTransport best() {
        for (var benchTransport : values()) {
            if (benchTransport.available()) {
                return benchTransport;
            }
        }
        return NIO;
    }

    /** Throws {@link IllegalArgumentException} with a text fit for the user. */
    static BenchTransport named(String name) {
        if (name.equals("auto")) {
            return best();
        }
        for (var benchTransport : values()) {
            if (benchTransport.label.equals(name)) {
                if (!benchTransport.available()) {
                    throw new IllegalArgumentException(
                            "--transport " + name + " is not available on this machine");
                }
                return benchTransport;
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

    /** For one event loop that serves so many connections. */
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

    /** Room for what all connections can have completed at once; a power of two, as it must be. */
    private static IoUringIoHandlerConfig rings(int connections) {
        long wanted = Math.clamp(4L * connections, MIN_COMPLETIONS, MAX_COMPLETIONS);
        int completions = Integer.highestOneBit((int) wanted - 1) << 1;
        return new IoUringIoHandlerConfig().setRingSize(SUBMISSIONS).setCqSize(completions);
    }

    @Override
    public String toString() {
        return label;
    }
}
