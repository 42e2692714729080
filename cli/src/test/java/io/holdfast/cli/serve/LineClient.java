package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A minimal dflockd client: sends requests and reads responses. */
final class LineClient implements Closeable {
    /** Less than the read timeout of a server, so that the two cannot be confused. */
    private static final int TIMEOUT_MILLIS = 20_000;

    private final Socket socket;
    private final BufferedReader in;

    LineClient(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    LineClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in =
                new BufferedReader(
                        new InputStreamReader(
                                socket.getInputStream(), StandardCharsets.ISO_8859_1));
    }

    void send(String command, String key, String argument) throws IOException {
        socket.getOutputStream()
                .write(
                        (command + "\n" + key + "\n" + argument + "\n")
                                .getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns the next line, or null at the end. */
    @Nullable String receive() throws IOException {
        return in.readLine();
    }

    @Nullable String request(String command, String key, String argument) throws IOException {
        send(command, key, argument);
        return receive();
    }

    /** Acquires a free lock and returns its token. */
    String lock(String key, String argument) throws IOException {
        String response = String.valueOf(request("l", key, argument));
        assertThat(response).matches("ok [0-9a-f]{32} \\d+");
        return response.substring(3, 35);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
