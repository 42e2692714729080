package io.holdfast.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** A client that sends the lines of a test. A character is a byte. */
final class ScriptedLineClient implements Closeable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final SocketChannel channel;
    private final Selector selector = Selector.open();
    private final ByteBuffer in = ByteBuffer.allocate(64 * 1024).flip();

    ScriptedLineClient(Path socket) throws IOException {
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
    }

    /** Connects and sends the greeting with this id. */
    static ScriptedLineClient named(Path socket, String name) throws IOException {
        var peer = new ScriptedLineClient(socket);
        peer.send(name + " HELLO");
        assertThat(peer.line()).isEqualTo(name + " CONNECTED");
        return peer;
    }

    void send(String... lines) throws IOException {
        sendRaw(String.join("\n", lines) + "\n");
    }

    void sendRaw(String text) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (out.hasRemaining()) {
            if (channel.write(out) == 0) {
                if (System.nanoTime() - deadline > 0) {
                    throw new SocketTimeoutException("the primary does not read");
                }
                Thread.onSpinWait();
            }
        }
    }

    /** Sends without blocking; returns the number of bytes accepted. */
    int trySend(String text) throws IOException {
        return channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = read(TIMEOUT); b != '\n'; b = read(TIMEOUT)) {
            if (b < 0) {
                throw new IOException("ended after \"" + text(line) + "\"");
            }
            line.write(b);
        }
        return text(line);
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /** Checks that everything sent before has been executed without a response. */
    void expectNothing(String name) throws IOException {
        send(name + " PING");
        assertThat(line()).isEqualTo(name + " PONG");
    }

    void expectSilence(Duration span) throws IOException {
        try {
            assertThat(read(span)).as("what came").isNull();
        } catch (SocketTimeoutException e) {
            return;
        }
    }

    /** Reads until the connection ends; returns the number of bytes. */
    long drain() throws IOException {
        long count = 0;
        try {
            while (read(TIMEOUT) >= 0) {
                count++;
            }
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) { // a reset also ends the connection
            return count;
        }
        return count;
    }

    void expectEnd() throws IOException {
        assertThat(drain()).isZero();
    }

    private int read(Duration within) throws IOException {
        if (!in.hasRemaining()) {
            if (selector.select(key -> {}, within.toMillis()) == 0) {
                throw new SocketTimeoutException("silence");
            }
            int count;
            in.clear();
            try {
                count = channel.read(in);
            } finally {
                in.flip();
            }
            if (count < 0) {
                return -1;
            }
        }
        return in.get() & 0xFF;
    }

    void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
        channel.close();
        selector.close();
    }
}
