package io.holdfast.server.lockd;

import io.holdfast.engine.Namespace;
import io.holdfast.server.Stats;
import io.holdfast.server.TestClient;
import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;
import io.holdfast.server.dflockd.DflockdOptions;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A server with lockd listeners, and the clients a test opened on it; all of them end together. */
final class LockdTestServer implements AutoCloseable {
    private final TestServer server;
    private final List<Runnable> closings = new ArrayList<>();

    private LockdTestServer(TestServer server) {
        this.server = server;
    }

    // ---- listeners

    /** A listener on TCP with all commands allowed. */
    static ListenEndpoint lockd() {
        return lockd(Namespace.DEFAULT, true, true);
    }

    static ListenEndpoint lockd(Namespace namespace, boolean allowDump, boolean enableRegistry) {
        return new ListenEndpoint(
                LockdProtocol.TCP,
                new ListenAddress.Tcp("127.0.0.1", 0),
                new LockdOptions(namespace, allowDump, enableRegistry));
    }

    static ListenEndpoint unix(Path path) {
        return unix(path, null);
    }

    static ListenEndpoint unix(Path path, @Nullable Set<PosixFilePermission> permissions) {
        return new ListenEndpoint(
                LockdProtocol.UNIX,
                new ListenAddress.Unix(path, permissions),
                new LockdOptions(Namespace.DEFAULT, true, true));
    }

    static ListenEndpoint dflockd() {
        return dflockd(Namespace.DEFAULT);
    }

    static ListenEndpoint dflockd(Namespace namespace) {
        return new ListenEndpoint(
                DflockdProtocol.INSTANCE.schemes().getFirst(),
                new ListenAddress.Tcp("127.0.0.1", 0),
                new DflockdOptions(namespace));
    }

    // ---- lifecycle

    static LockdTestServer start(ListenEndpoint... listeners) {
        return start(new TestConfig(), listeners);
    }

    static LockdTestServer start(TestConfig config, ListenEndpoint... listeners) {
        return new LockdTestServer(TestServer.start(config.listeners(listeners)));
    }

    TestServer server() {
        return server;
    }

    /** Begins to drain; returns when no connection is accepted any more. */
    CompletableFuture<Void> drain() {
        return server.drain();
    }

    @Override
    public void close() {
        synchronized (closings) {
            closings.forEach(Runnable::run);
        }
        server.close();
    }

    // ---- clients

    private LockdTestClient keep(LockdTestClient client) {
        closeAtEnd(client::close);
        return client;
    }

    private void closeAtEnd(Runnable closing) {
        synchronized (closings) {
            closings.add(closing);
        }
    }

    /** The address of a TCP listener, by its index from 0. */
    InetSocketAddress address(int listener) {
        return server.server().addresses().get(listener);
    }

    LockdTestClient connect() {
        return connect(0);
    }

    LockdTestClient connect(int listener) {
        return keep(LockdTestClient.tcp(address(listener)));
    }

    LockdTestClient connect(Path path) {
        return keep(LockdTestClient.unix(path));
    }

    /** Connects with a small receive buffer, for clients that do not read. */
    LockdTestClient connectNarrow() {
        return keep(LockdTestClient.tcp(address(0), 4096));
    }

    /** Connects a dflockd client. */
    TestClient connectDflockd(int listener) {
        TestClient client = TestClient.connect(address(listener));
        closeAtEnd(client::close);
        return client;
    }

    /** Queries the stats of dflockd on a new connection. */
    Stats stats(int listener) {
        try (TestClient client = TestClient.connect(address(listener))) {
            return Stats.parse(client.request("stats", "", ""));
        }
    }

    void awaitWaiters(int listener, String key, int count) {
        TestServer.soon().until(() -> stats(listener).waiters(key) == count);
    }

    /** Memory that Netty has allocated for buffers, in bytes. */
    static long bufferBytes() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }
}
