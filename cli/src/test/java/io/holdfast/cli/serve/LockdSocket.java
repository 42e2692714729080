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

/** A minimal lockd client. Lines are returned without line breaks. */
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

    /** Sends a command with a response of one line, and returns it; null at the end. */
    @Nullable String request(String command) throws IOException {
        channel.write(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.ISO_8859_1)));
        return receive();
    }

    /** Returns the next line, or null at the end. */
    @Nullable String receive() throws IOException {
        return in.readLine();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
