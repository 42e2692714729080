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

/** A socketlock client that brings its id. */
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

    /** A connection that has not said a word. */
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

    /** Sends lines, each with the id in front. */
    SocketlockTestClient say(String... lines) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            text.append(id).append(' ').append(line).append('\n');
        }
        return send(text.toString());
    }

    // ---- reading

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
