package io.holdfast.cli.soak;

import io.holdfast.cli.options.ServerAddress;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A blocking connection: one request, one line back. Signals may come in between and are kept until
 * somebody asks for them. For one thread at a time.
 */
final class SoakConnection implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

    /** Well beyond the longest wait that a scenario asks for. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** The statistics of a server with a million keys fit. */
    private static final int MAX_ANSWER = 128 << 20;

    private final Socket socket;
    private final InputStream in;
    private final Queue<PushedSignal> signals = new ArrayDeque<>();
    private boolean listens;

    private SoakConnection(Socket socket) throws IOException {
        this.socket = socket;
        in = new BufferedInputStream(socket.getInputStream());
    }

    /**
     * Connects.
     *
     * @param tls null for plain TCP
     */
    static SoakConnection open(
            ServerAddress server, @Nullable String authToken, @Nullable SSLContext tls)
            throws IOException, CheckFailedException {
        var socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(
                    new InetSocketAddress(server.host(), server.port()), CONNECT_TIMEOUT_MILLIS);
            var connection =
                    new SoakConnection(tls == null ? socket : handshake(tls, socket, server));
            if (authToken != null) {
                connection.authenticate(authToken);
            }
            return connection;
        } catch (UnknownHostException e) {
            socket.close();
            throw new IOException("unknown host " + server.host(), e);
        } catch (IOException | CheckFailedException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket handshake(SSLContext tls, Socket plain, ServerAddress server)
            throws IOException {
        var socket =
                (SSLSocket)
                        tls.getSocketFactory()
                                .createSocket(plain, server.host(), server.port(), true);
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(CONNECT_TIMEOUT_MILLIS);
        socket.startHandshake();
        return socket;
    }

    /** Sends a request and waits for its answer, which comes without the line break. */
    String ask(String command, String key, String argument)
            throws IOException, CheckFailedException {
        listens |= command.equals("listen");
        var request = command + "\n" + key + "\n" + argument + "\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        socket.setSoTimeout((int) TIMEOUT.toMillis());
        try {
            var line = readLine();
            while (PushedSignal.isPushed(line)) {
                signals.add(signal(line));
                line = readLine();
            }
            return line;
        } catch (SocketTimeoutException e) {
            throw new IOException(
                    "no answer to " + command + " within " + TIMEOUT.toSeconds() + " s", e);
        }
    }

    /** As {@link #ask}, where only one answer is right. */
    void expect(String answer, String command, String key, String argument)
            throws IOException, CheckFailedException {
        var actual = ask(command, key, argument);
        if (!actual.equals(answer)) {
            throw new CheckFailedException(
                    command + " " + key + ": got \"" + actual + "\", want \"" + answer + "\"");
        }
    }

    /** The earliest signal that nobody has taken yet; fails if none comes in time. */
    PushedSignal nextSignal(Duration patience) throws IOException, CheckFailedException {
        var kept = signals.poll();
        if (kept != null) {
            return kept;
        }
        socket.setSoTimeout((int) patience.toMillis());
        try {
            return signal(readLine());
        } catch (SocketTimeoutException e) {
            throw new IOException("no signal within " + patience.toMillis() + " ms", e);
        }
    }

    /** Checks that up to the last answer no signal came that nobody has taken. */
    void expectNoSignal() throws CheckFailedException {
        var kept = signals.peek();
        if (kept != null) {
            throw new CheckFailedException("one signal too many: \"" + kept + "\"");
        }
    }

    private PushedSignal signal(String line) throws CheckFailedException {
        var pushedSignal = PushedSignal.parse(line);
        if (!listens) {
            throw new CheckFailedException("got \"" + pushedSignal + "\" without listening");
        }
        return pushedSignal;
    }

    private void authenticate(String secret) throws IOException, CheckFailedException {
        var answer = ask("auth", "_", secret);
        if (!answer.equals("ok")) {
            throw new CheckFailedException("authentication failed: got \"" + answer + "\"");
        }
    }

    private String readLine() throws IOException {
        var line = new ByteArrayOutputStream(64);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the server closed the connection");
            }
            if (line.size() == MAX_ANSWER) {
                throw new IOException("the answer is too long");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
