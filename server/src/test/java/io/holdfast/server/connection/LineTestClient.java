package io.holdfast.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A client that sends given bytes unchanged: each character of a text is a byte. Lines are returned
 * without their line feed. The only deadline is the timeout of the test.
 *
 * @param <C> the client itself
 */
public abstract class LineTestClient<C extends LineTestClient<C>> implements AutoCloseable {
    protected final SocketChannel channel;
    protected final InputStream in;

    protected LineTestClient(SocketChannel channel) {
        this.channel = channel;
        this.in = new BufferedInputStream(Channels.newInputStream(channel), 64 * 1024);
    }

    /** Connects a channel, or closes it. */
    protected static SocketChannel connected(SocketChannel channel, SocketAddress address)
            throws IOException {
        try {
            channel.connect(address);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    protected abstract C self();

    // ---- sending

    public C send(String text) {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public C send(byte[] bytes) {
        try {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            return self();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends data; the server may have closed already. */
    public void sendIfOpen(String text) {
        try {
            C _ = send(text);
        } catch (UncheckedIOException e) {
            assertThat(e.getCause()).isNotInstanceOf(ClosedByInterruptException.class);
        }
    }

    /** Shuts down the output. */
    public C halfClose() {
        try {
            channel.shutdownOutput();
            return self();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- reading

    /** The next line; the end of the stream is a failure. */
    public String line() {
        try {
            var text = new ByteArrayOutputStream();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    throw new AssertionError("end of stream after: " + text);
                }
                text.write(c);
            }
            return text.toString(StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Checks that the server closes, or has closed, without another byte. */
    public void assertClosed() {
        try {
            assertThat(in.read()).as("the byte read at the end").isEqualTo(-1);
        } catch (IOException e) { // reset: closed as well
            assertThat(e).isNotInstanceOf(ClosedByInterruptException.class);
        }
    }
}
