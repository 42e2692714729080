package io.holdfast.lockd;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A listener whose backlog is full, so that further clients cannot connect. */
final class FullBacklog implements AutoCloseable {
    private static final int MORE_THAN_FIT = 8;

    private final ServerSocketChannel listener;
    private final List<SocketChannel> channels = new ArrayList<>();
    private int waiting;

    private FullBacklog(ServerSocketChannel listener) {
        this.listener = listener;
    }

    /** A TCP listener: SYNs of further clients get no response. */
    static FullBacklog tcp() throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(FakeServer.loopback(), 1);
        var full = new FullBacklog(listener);
        for (int i = 0; i < MORE_THAN_FIT; i++) {
            full.call(SocketChannel.open());
        }
        return full;
    }

    /** A Unix socket: further clients are refused. */
    static FullBacklog unix(Path socket) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(socket), 1);
        var full = new FullBacklog(listener);
        try {
            while (true) {
                full.call(SocketChannel.open(StandardProtocolFamily.UNIX));
            }
        } catch (SocketException refused) {
            return full;
        }
    }

    SocketAddress address() throws IOException {
        return listener.getLocalAddress();
    }

    void acceptWaiting() throws IOException {
        for (int i = 0; i < waiting; i++) {
            channels.add(listener.accept());
        }
    }

    /** The first line of the next client. */
    String firstLineOfNext() throws IOException {
        SocketChannel next = listener.accept();
        channels.add(next);
        ByteBuffer in = ByteBuffer.allocate(100);
        next.read(in);
        return new String(in.array(), 0, in.position(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
        listener.close();
    }

    private void call(SocketChannel caller) throws IOException {
        channels.add(caller);
        caller.configureBlocking(false);
        caller.connect(address());
        waiting++;
    }
}
