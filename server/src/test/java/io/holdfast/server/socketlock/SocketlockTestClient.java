package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.connection.LineTestClient;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A socketlock client that chooses its id. */
final class SocketlockTestClient extends LineTestClient<SocketlockTestClient> {
    private final String id;

    private SocketlockTestClient(SocketChannel channel, String id) {
        super(channel);
        this.id = id;
    }

    @Override
    protected SocketlockTestClient self() {
        return this;
    }

    /** A connection without a greeting. */
    static SocketlockTestClient open(Path path, String id) {
        try {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
            return new SocketlockTestClient(
                    connected(channel, UnixDomainSocketAddress.of(path)), id);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String id() {
        return id;
    }

    // ---- sending

    /** Sends lines, each prefixed with the id. */
    SocketlockTestClient sendLine(String... lines) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            text.append(id).append(' ').append(line).append('\n');
        }
        return send(text.toString());
    }

    // ---- reading

    /** Checks that these lines are next, each prefixed with the id. */
    SocketlockTestClient expect(String... lines) {
        for (String line : lines) {
            assertThat(line()).isEqualTo(id + " " + line);
        }
        return this;
    }

    /**
     * Waits until everything sent so far has been executed, and checks that no line was left
     * unread: lines arrive in the order of their effects.
     */
    SocketlockTestClient barrier() {
        return sendLine("PING").expect("PONG");
    }

    // ---- locks

    /** Sends a greeting with the id of the client. */
    SocketlockTestClient greet() {
        return sendLine("HELLO").expect("CONNECTED");
    }

    /** Requests a lock that is offered at once. */
    SocketlockTestClient offered(String mode, String lock) {
        return sendLine("REQ" + mode + " " + lock).expect(mode + "LOCK " + lock);
    }

    /** Acquires a free lock. */
    SocketlockTestClient holds(String mode, String lock) {
        return offered(mode, lock).confirms(lock);
    }

    SocketlockTestClient confirms(String lock) {
        return sendLine("CONFIRM " + lock, "STATUS " + lock).expect("LOCKOK " + lock);
    }

    /** Requests a lock that is not offered. */
    SocketlockTestClient waits(String mode, String lock) {
        return sendLine("REQ" + mode + " " + lock).barrier();
    }

    SocketlockTestClient releases(String lock) {
        return sendLine("RELEASE " + lock).barrier();
    }

    void assertHeld(String lock) {
        sendLine("STATUS " + lock).expect("LOCKOK " + lock);
    }

    void assertNotHeld(String lock) {
        sendLine("STATUS " + lock).expect("LOCKTIMEOUT " + lock);
    }
}
