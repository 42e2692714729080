package io.holdfast.server.socketlock;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.TestClient;
import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A server with socketlock listeners, and the clients a test opened on it. */
final class SocketlockTestServer implements AutoCloseable {
    static final SocketlockTimeouts DEFAULT_TIMEOUTS =
            new SocketlockTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ZERO);

    private final TestServer server;
    private final Path path;
    private final List<SocketlockTestClient> clients = new ArrayList<>();
    private int count;

    private SocketlockTestServer(TestServer server, Path path) {
        this.server = server;
        this.path = path;
    }

    // ---- listeners

    static ListenEndpoint endpoint(Path path, QueuePolicy queuePolicy) {
        return endpoint(path, null, queuePolicy, DEFAULT_TIMEOUTS);
    }

    static ListenEndpoint endpoint(
            Path path,
            @Nullable String key,
            @Nullable QueuePolicy queuePolicy,
            SocketlockTimeouts socketlockTimeouts) {
        return new ListenEndpoint(
                SocketlockProtocol.UNIX,
                new ListenAddress.Unix(path, null),
                new SocketlockOptions(
                        Namespace.DEFAULT,
                        key == null ? null : ByteString.of(key),
                        queuePolicy,
                        socketlockTimeouts));
    }

    static SocketlockTimeouts limits(Duration request, Duration confirm) {
        return new SocketlockTimeouts(request, confirm, Duration.ZERO);
    }

    // ---- lifecycle

    static SocketlockTestServer start(Path path, QueuePolicy queuePolicy) {
        return start(new TestConfig(), path, endpoint(path, queuePolicy));
    }

    static SocketlockTestServer start(Path path, SocketlockTimeouts socketlockTimeouts) {
        return start(new TestConfig(), path, endpoint(path, null, null, socketlockTimeouts));
    }

    static SocketlockTestServer start(TestConfig config, Path path, ListenEndpoint... listeners) {
        return new SocketlockTestServer(TestServer.start(config.listeners(listeners)), path);
    }

    TestServer server() {
        return server;
    }

    /** Closes the server first, so that its clients still hold their locks at its end. */
    @Override
    public void close() {
        server.close();
        clients.forEach(SocketlockTestClient::close);
    }

    // ---- clients

    /** A client that has sent a greeting with its own id. */
    SocketlockTestClient connect() {
        return open().greet();
    }

    /** A connection without a greeting. */
    SocketlockTestClient open() {
        return open(path);
    }

    SocketlockTestClient open(Path where) {
        SocketlockTestClient client = SocketlockTestClient.open(where, "node-" + ++count);
        clients.add(client);
        return client;
    }

    TestClient connectDflockd() {
        return server.connect();
    }
}
