package io.holdfast.verification.soak;

import io.holdfast.console.options.ServerAddress;
import io.holdfast.verification.line.LineClient;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

import javax.net.ssl.SSLContext;

/**
 * A blocking connection on which each request gets one line as its response. Signals that arrive in
 * between are buffered until {@link #nextSignal}. For one thread at a time.
 */
final class SoakConnection implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** Well above the longest wait that a scenario requests. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final LineClient client;
    private final Queue<PushedSignal> signals = new ArrayDeque<>();
    private boolean listens;

    private SoakConnection(LineClient client) {
        this.client = client;
    }

    /**
     * Connects.
     *
     * @param tls null for plain TCP
     */
    static SoakConnection open(
            ServerAddress server, @Nullable String authToken, @Nullable SSLContext tls)
            throws IOException, CheckFailedException {
        var address = new InetSocketAddress(server.host(), server.port());
        var connection = new SoakConnection(LineClient.connect(address, CONNECT_TIMEOUT, tls));
        try {
            if (authToken != null) {
                connection.authenticate(authToken);
            }
            return connection;
        } catch (IOException | CheckFailedException e) {
            connection.close();
            throw e;
        }
    }

    /** Sends a request and returns its response without the line break. */
    String request(String command, String key, String argument)
            throws IOException, CheckFailedException {
        listens |= command.equals("listen");
        client.write(command + "\n" + key + "\n" + argument + "\n");
        try {
            var line = client.readLine(TIMEOUT);
            while (PushedSignal.isPushed(line)) {
                signals.add(signal(line));
                line = client.readLine(TIMEOUT);
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
        try {
            return signal(client.readLine(timeout));
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

    @Override
    public void close() {
        client.close();
    }
}
