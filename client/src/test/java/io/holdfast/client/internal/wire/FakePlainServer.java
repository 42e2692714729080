package io.holdfast.client.internal.wire;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A dflockd that is played by the test, which reads each request and sends the responses. */
final class FakePlainServer implements AutoCloseable {
    private static final int TIMEOUT_SECONDS = 60;

    private final ServerSocket listener;
    private final InetSocketAddress address;
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();

    FakePlainServer() throws IOException {
        this(0);
    }

    FakePlainServer(int port) throws IOException {
        listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        address = InetSocketAddress.createUnresolved("127.0.0.1", listener.getLocalPort());
        start("fake server", this::accept);
    }

    private static void start(String name, Runnable task) {
        var thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return address;
    }

    private void accept() {
        try {
            while (true) {
                var connection = new Connection(listener.accept());
                connections.add(connection);
                start("fake server connection", connection::read);
            }
        } catch (IOException e) {
            // closed
        }
    }

    /** The next request of any connection. */
    Request next() throws InterruptedException {
        Request request = requests.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        if (request == null) {
            throw new AssertionError("no request within the timeout");
        }
        return request;
    }

    /** The next request, which must be {@code text}: its three lines joined with spaces. */
    Request next(String text) throws InterruptedException {
        Request request = next();
        if (!request.text().equals(text)) {
            throw new AssertionError("expected " + text + " but got " + request.text());
        }
        return request;
    }

    /** The next request, or null if none arrives within the time. */
    @Nullable Request poll(Duration span) throws InterruptedException {
        return requests.poll(span.toNanos(), TimeUnit.NANOSECONDS);
    }

    boolean isQuiet() {
        return requests.isEmpty();
    }

    long openConnections() {
        return connections.stream().filter(Connection::isOpen).count();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        connections.forEach(Connection::cut);
    }

    /** One connection. */
    final class Connection {
        private final Socket socket;
        private final CountDownLatch ended = new CountDownLatch(1);

        Connection(Socket socket) {
            this.socket = socket;
        }

        private void read() {
            try (var in =
                    new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.UTF_8))) {
                while (true) {
                    String command = in.readLine();
                    String key = in.readLine();
                    String argument = in.readLine();
                    if (argument == null) {
                        return;
                    }
                    requests.add(new Request(this, command + " " + key + " " + argument));
                }
            } catch (IOException e) {
                // cut
            } finally {
                ended.countDown();
            }
        }

        boolean isOpen() {
            return ended.getCount() > 0;
        }

        void send(String line) throws IOException {
            socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }

        void cut() {
            try {
                socket.close();
            } catch (IOException e) {
                // gone
            }
        }

        void awaitEnd() throws InterruptedException {
            if (!ended.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the connection is still open");
            }
        }
    }

    /** A request of a client. */
    record Request(Connection connection, String text) {
        Connection respond(String line) throws IOException {
            connection.send(line);
            return connection;
        }
    }
}
