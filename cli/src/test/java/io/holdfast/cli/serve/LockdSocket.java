package io.holdfast.cli.serve;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** A lockd client of a few words. Line ends are left off. */
final class LockdSocket implements Closeable {
    private final SocketChannel channel;
    private final BufferedReader in;

    LockdSocket(SocketAddress server) throws IOException {
        channel =
                server instanceof UnixDomainSocketAddress
                        ? SocketChannel.open(StandardProtocolFamily.UNIX)
                        : SocketChannel.open();
        channel.connect(server);
        in = new BufferedReader(Channels.newReader(channel, StandardCharsets.ISO_8859_1));
    }

    LockdSocket(int port) throws IOException {
        this(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /** The answer to a command that has one line, or null at the end. */
    @Nullable String ask(String command) throws IOException {
        channel.write(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.ISO_8859_1)));
        return receive();
    }

    /** The next line, or null at the end. */
    @Nullable String receive() throws IOException {
        return in.readLine();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
