package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A socketlock client that sends what it is told, byte for byte: each character of a text is a
 * byte. The timeout of the test is its deadline.
 */
final class SocketlockTestClient implements AutoCloseable {
    private final SocketChannel channel;
    private final InputStream in;
    private final String id;

    private SocketlockTestClient(SocketChannel channel, String id) {
        this.channel = channel;
        this.in = new BufferedInputStream(Channels.newInputStream(channel), 64 * 1024);
        this.id = id;
    }

    /** A connection that has not said a word. */
    static SocketlockTestClient open(Path path, String id) {
        try {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
                channel.connect(UnixDomainSocketAddress.of(path));
            } catch (IOException e) {
                channel.close();
                throw e;
            }
            return new SocketlockTestClient(channel, id);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String id() {
        return id;
    }

    // ---- sending

    SocketlockTestClient send(String text) {
        try {
            ByteBuffer left = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
            while (left.hasRemaining()) {
                channel.write(left);
            }
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends what the server may refuse to take because it has closed already. */
    void sendIfOpen(String text) {
        try {
            send(text);
        } catch (UncheckedIOException e) {
            assertThat(e.getCause()).isNotInstanceOf(ClosedByInterruptException.class);
        }
    }

    /** Sends lines, each with the id in front. */
    SocketlockTestClient say(String... lines) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            text.append(id).append(' ').append(line).append('\n');
        }
        return send(text.toString());
    }

    SocketlockTestClient halfClose() {
        try {
            channel.shutdownOutput();
            return this;
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
    String line() {
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

    /** These lines come next, each with the id in front. */
    SocketlockTestClient expect(String... lines) {
        for (String line : lines) {
            assertThat(line()).isEqualTo(id + " " + line);
        }
        return this;
    }

    /**
     * Everything sent so far has been carried out, and nothing that was decided until now is
     * unread: lines come in the order in which they were decided.
     */
    SocketlockTestClient barrier() {
        return say("PING").expect("PONG");
    }

    /** The server closes, or has closed, without another byte. */
    void assertClosed() {
        try {
            assertThat(in.read()).as("the byte read at the end").isEqualTo(-1);
        } catch (IOException e) { // reset: closed as well
            assertThat(e).isNotInstanceOf(ClosedByInterruptException.class);
        }
    }

    // ---- locks

    /** Says who it is, in the named dialect. */
    SocketlockTestClient greet() {
        return say("HELLO").expect("CONNECTED");
    }

    /** Asks, and is offered it at once. */
    SocketlockTestClient offered(String mode, String lock) {
        return say("REQ" + mode + " " + lock).expect(mode + "LOCK " + lock);
    }

    /** Asks for, and gets, a lock that is free. */
    SocketlockTestClient holds(String mode, String lock) {
        return offered(mode, lock).confirms(lock);
    }

    SocketlockTestClient confirms(String lock) {
        return say("CONFIRM " + lock, "STATUS " + lock).expect("LOCKOK " + lock);
    }

    /** Asks, and is not offered it. */
    SocketlockTestClient waits(String mode, String lock) {
        return say("REQ" + mode + " " + lock).barrier();
    }

    SocketlockTestClient releases(String lock) {
        return say("RELEASE " + lock).barrier();
    }

    void assertHeld(String lock) {
        say("STATUS " + lock).expect("LOCKOK " + lock);
    }

    void assertNotHeld(String lock) {
        say("STATUS " + lock).expect("LOCKTIMEOUT " + lock);
    }
}
