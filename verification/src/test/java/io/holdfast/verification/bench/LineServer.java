package io.holdfast.verification.bench;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server on an ephemeral loopback port that reads requests of three lines and responds by a given
 * rule.
 */
public final class LineServer implements AutoCloseable {
    /** A request with the number of its connection, from 1. */
    public record Request(int connection, String command, String key, String argument) {}

    /** Called from one thread per connection; may block. */
    public interface Rule {
        /** Returns the response; null closes the connection. */
        @Nullable String answer(Request request) throws InterruptedException;

        /** The connection has ended. */
        default void ended(int connection) {}
    }

    private final ServerSocket listener;
    private final Rule rule;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();

    private LineServer(ServerSocket listener, Rule rule) {
        this.listener = listener;
        this.rule = rule;
        Thread.ofVirtual().start(this::accept);
    }

    public static LineServer start(Rule rule) {
        try {
            return start(new ServerSocket(0, 512, InetAddress.getLoopbackAddress()), rule);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static LineServer start(ServerSocket listener, Rule rule) {
        return new LineServer(listener, rule);
    }

    public String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    public int accepted() {
        return accepted.get();
    }

    public int openConnections() {
        return open.size();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (var socket : open) {
            socket.close();
        }
    }

    private void accept() {
        try {
            while (true) {
                var socket = listener.accept();
                open.add(socket);
                int number = accepted.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket, number));
            }
        } catch (IOException _) {
            // closed
        }
    }

    private void serve(Socket socket, int number) {
        try (socket) {
            socket.setTcpNoDelay(true);
            var in =
                    new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            while (true) {
                var command = in.readLine();
                var key = in.readLine();
                var argument = in.readLine();
                if (command == null || key == null || argument == null) {
                    return;
                }
                var response = rule.answer(new Request(number, command, key, argument));
                if (response == null) {
                    return;
                }
                socket.getOutputStream().write((response + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException | InterruptedException _) {
            // the client has closed the connection
        } finally {
            rule.ended(number);
            open.remove(socket);
        }
    }
}
