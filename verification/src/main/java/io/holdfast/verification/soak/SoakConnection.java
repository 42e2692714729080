package io.holdfast.verification.soak;

import io.holdfast.console.options.ServerAddress;

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
 * A blocking connection on which each request gets one line as its response. Signals that arrive in
 * between are buffered until {@link #nextSignal}. For one thread at a time.
 */
final class SoakConnection implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

    /** Well above the longest wait that a scenario requests. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** In bytes; large enough for the statistics of a server with a million keys. */
    private static final int MAX_RESPONSE = 128 << 20;

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

    /** Sends a request and returns its response without the line break. */
    String request(String command, String key, String argument)
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
                    "no response to " + command + " within " + TIMEOUT.toSeconds() + " s", e);
        }
    }

    /** As {@link #request}, but fails unless the response is the expected one. */
    void expect(String response, String command, String key, String argument)
            throws IOException, CheckFailedException {
        var actual = request(command, key, argument);
        if (!actual.equals(response)) {
            throw new CheckFailedException(
                    command + " " + key + ": got \"" + actual + "\", want \"" + response + "\"");
        }
    }

    /**
     * Removes and returns the earliest signal received; throws if none arrives within the timeout.
     */
    PushedSignal nextSignal(Duration timeout) throws IOException, CheckFailedException {
        var kept = signals.poll();
        if (kept != null) {
            return kept;
        }
        socket.setSoTimeout((int) timeout.toMillis());
        try {
            return signal(readLine());
        } catch (SocketTimeoutException e) {
            throw new IOException("no signal within " + timeout.toMillis() + " ms", e);
        }
    }

    /** Fails if a signal that arrived before the last response has not been taken. */
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
        var response = request("auth", "_", secret);
        if (!response.equals("ok")) {
            throw new CheckFailedException("authentication failed: got \"" + response + "\"");
        }
    }

    private String readLine() throws IOException {
        var line = new ByteArrayOutputStream(64);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the server closed the connection");
            }
            if (line.size() == MAX_RESPONSE) {
                throw new IOException("the response is too long");
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
