package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.connection.LineTestClient;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A lockd client on TCP or a Unix socket. Its lines include the carriage return. */
final class LockdTestClient extends LineTestClient<LockdTestClient> {
    /** A name that is never locked: the response about it marks the end of a listing. */
    private static final String MARK = "end of the listing";

    private static final String MARK_LINE = "0 Lock Not Locked: " + MARK + "\r";

    private LockdTestClient(SocketChannel channel) {
        super(channel);
    }

    @Override
    protected LockdTestClient self() {
        return this;
    }

    static LockdTestClient tcp(InetSocketAddress address) {
        return tcp(address, 0);
    }

    /**
     * With a small receive buffer, the server soon notices that the client does not read; 0 is the
     * default size.
     */
    static LockdTestClient tcp(InetSocketAddress address, int receiveBuffer) {
        try {
            SocketChannel channel = SocketChannel.open();
            if (receiveBuffer > 0) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
            }
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return connect(channel, address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static LockdTestClient unix(Path path) {
        try {
            return connect(
                    SocketChannel.open(StandardProtocolFamily.UNIX),
                    UnixDomainSocketAddress.of(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Connects from a socket that is bound to a path. */
    static LockdTestClient unix(Path path, Path own) {
        try {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.bind(UnixDomainSocketAddress.of(own));
            return connect(channel, UnixDomainSocketAddress.of(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static LockdTestClient connect(SocketChannel channel, SocketAddress address)
            throws IOException {
        return new LockdTestClient(connected(channel, address));
    }

    /** A text with each byte of its UTF-8 form as a character. */
    static String utf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** The server's name of a connection on TCP. */
    String name() {
        try {
            InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
            return "127.0.0.1:" + local.getPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int localPort() {
        return Integer.parseInt(name().substring(name().indexOf(':') + 1));
    }

    // ---- sending

    /** Closes with a reset, as after the crash of a machine. */
    void reset() {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- reading

    /** Everything up to the end of the stream. */
    String rest() {
        try {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads until the server closes or resets. */
    void skipToEnd() {
        byte[] piece = new byte[64 * 1024];
        try {
            while (in.read(piece) >= 0) {}
        } catch (IOException e) { // reset: closed as well
            assertThat(e).isNotInstanceOf(ClosedByInterruptException.class);
        }
    }

    // ---- commands

    /** Sends a command and returns its one line of response. */
    String request(String command) {
        return send(command + "\n").line();
    }

    /** Sends a command and returns all lines of its response. */
    List<String> list(String command) {
        send(command + "\ni " + MARK + "\n");
        return linesToMark();
    }

    List<String> linesToMark() {
        List<String> lines = new ArrayList<>();
        for (String line = line(); !line.equals(MARK_LINE); line = line()) {
            lines.add(line);
        }
        return lines;
    }

    /** The lines of {@code q}. */
    List<String> counterLines() {
        return send("q\n").linesTo("shared_orphans: ");
    }

    /** The lines up to and including the first with this prefix. */
    List<String> linesTo(String begin) {
        List<String> lines = new ArrayList<>();
        do {
            lines.add(line());
        } while (!lines.getLast().startsWith(begin));
        return lines;
    }

    /** The counters, in the order of the response. */
    Map<String, Long> counters() {
        Map<String, Long> counters = new LinkedHashMap<>();
        for (String line : counterLines()) {
            int colon = line.indexOf(": ");
            counters.put(line.substring(0, colon), Long.valueOf(line.substring(colon + 2)));
        }
        return counters;
    }

    long counter(String name) {
        return counters().get(name);
    }

    /** Acquires a free lock. */
    LockdTestClient get(String name) {
        assertThat(request("g " + name)).isEqualTo("1 Lock Get Success: " + name + "\r");
        return this;
    }

    LockdTestClient release(String name) {
        assertThat(request("r " + name)).isEqualTo("1 Lock Release Success: " + name);
        return this;
    }

    /** Checks that another client holds the lock. */
    void assertRefused(String name) {
        assertThat(request("g " + name)).isEqualTo("0 Lock Get Failure: " + name + "\r");
    }

    boolean isLocked(String name) {
        return request("i " + name).startsWith("1 ");
    }

    /** Checks that the connection is open and has no unread responses. */
    void assertServed() {
        assertThat(request("si nobody")).isEqualTo("0 Shared Lock Not Locked: nobody\r");
    }

    /** Acquires many free locks, named by a prefix and their number. */
    LockdTestClient getMany(String prefix, int from, int to) {
        exchange("g ", "1 Lock Get Success: ", "\r", prefix, from, to);
        return this;
    }

    LockdTestClient releaseMany(String prefix, int from, int to) {
        exchange("r ", "1 Lock Release Success: ", "", prefix, from, to);
        return this;
    }

    private void exchange(
            String word, String response, String end, String prefix, int from, int to) {
        int batch = 1000;
        for (int begin = from; begin < to; begin += batch) {
            StringBuilder commands = new StringBuilder();
            int stop = Math.min(to, begin + batch);
            for (int i = begin; i < stop; i++) {
                commands.append(word).append(prefix).append(i).append('\n');
            }
            send(commands.toString());
            for (int i = begin; i < stop; i++) {
                assertThat(line()).isEqualTo(response + prefix + i + end);
            }
        }
    }
}
