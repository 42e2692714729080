package io.holdfast.verification.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Accepts connections on an ephemeral loopback port and can send lines to any of them. */
final class PushSockets extends ServerSocket {
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();

    PushSockets() throws IOException {
        super(0, 512, InetAddress.getLoopbackAddress());
    }

    @Override
    public Socket accept() throws IOException {
        var socket = super.accept();
        accepted.add(socket);
        return socket;
    }

    /**
     * Sends a line in one write, so that no line is interleaved with another.
     *
     * @param connection the number of the connection, from 1
     */
    void push(int connection, String line) {
        var bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            accepted.get(connection - 1).getOutputStream().write(bytes);
        } catch (IOException _) {
            // the client has disconnected
        }
    }

    static PushSockets open() {
        try {
            return new PushSockets();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
