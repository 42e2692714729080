package io.holdfast.server;

import static org.awaitility.Awaitility.await;

import io.holdfast.driver.DriverSource;
import io.holdfast.driver.frontend.FrontEnd;
import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.server.dflockd.DflockdService;
import io.holdfast.server.dflockd.PushedBytes;
import io.holdfast.server.listener.StartException;

import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A server and the clients a test opened on it; all of them end together. */
public final class TestServer implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final HoldfastServer server;
    private final FrontEndServices frontEndServices;
    private final List<TestClient> clients = new ArrayList<>();

    private TestServer(TestConfig config, @Nullable DriverSource source) throws StartException {
        AtomicReference<FrontEndServices> given = new AtomicReference<>();
        List<HoldfastServer.FrontEndStarter> others =
                List.of(
                        to -> {
                            given.set(to);
                            return new IdleFrontEnd();
                        });
        server =
                source == null
                        ? HoldfastServer.start(config.build(), others)
                        : HoldfastServer.start(config.build(), others, source);
        frontEndServices = given.get();
    }

    /** A front end without clients. */
    private static final class IdleFrontEnd implements FrontEnd {
        @Override
        public void open() {}

        @Override
        public void drain() {}

        @Override
        public boolean isDrained() {
            return true;
        }

        @Override
        public void close() {}
    }

    public static TestServer start() {
        return start(new TestConfig());
    }

    public static TestServer start(TestConfig config) {
        return start(config, null);
    }

    /** Starts on a given driver, or on its own if that is null. */
    public static TestServer start(TestConfig config, @Nullable DriverSource source) {
        try {
            return new TestServer(config, source);
        } catch (StartException e) {
            throw new AssertionError(e);
        }
    }

    /** The transports that are available on this machine, for parameterized tests. */
    public static Stream<IoTransport> transports() {
        return Stream.of(IoTransport.values())
                .filter(
                        ioTransport ->
                                ioTransport != IoTransport.AUTO && ioTransport.isAvailable());
    }

    /** Waits for a condition that is expected soon, with a short poll interval. */
    public static ConditionFactory soon() {
        return await().atMost(DEADLINE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
    }

    public HoldfastServer server() {
        return server;
    }

    /** The services for front ends beside the listeners. */
    public FrontEndServices backend() {
        return frontEndServices;
    }

    public InetSocketAddress address() {
        return server.addresses().getFirst();
    }

    public TestClient connect() {
        return keep(TestClient.connect(address()));
    }

    /** Connects with a small receive buffer, for clients that do not read. */
    public TestClient connectNarrow() {
        return keep(TestClient.connect(address(), 4096));
    }

    private TestClient keep(TestClient client) {
        synchronized (clients) {
            clients.add(client);
        }
        return client;
    }

    /** Queries the stats on a new connection, which the response counts too. */
    public Stats stats() {
        try (TestClient client = TestClient.connect(address())) {
            return Stats.parse(client.request("stats", "", ""));
        }
    }

    /** Waits until the stats meet a condition. */
    public Stats awaitStats(Predicate<Stats> condition) {
        return soon().until(this::stats, condition);
    }

    public void awaitWaiters(String key, int count) {
        awaitStats(stats -> stats.waiters(key) == count);
    }

    /** Waits until a pattern has this number of subscriptions. */
    public void awaitListeners(String pattern, int count) {
        awaitStats(stats -> stats.listeners(pattern) == count);
    }

    /** Waits until this number of connections is open, without the one that queries it. */
    public void awaitConnections(int count) {
        awaitStats(stats -> stats.connections() == count + 1);
    }

    /** Bytes pushed to all listeners and not written yet. */
    public long pushedBytes() {
        try {
            Field service = HoldfastServer.class.getDeclaredField("dflockd");
            service.setAccessible(true);
            return PushedBytes.of((DflockdService) service.get(server));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no service in the server", e);
        }
    }

    /** Begins to drain; returns when no connection is accepted any more. */
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> drained =
                CompletableFuture.runAsync(server::drain, Thread.ofVirtual()::start);
        soon().until(() -> !accepts());
        return drained;
    }

    private boolean accepts() throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(address(), TestClient.DEADLINE_MILLIS);
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (SocketException e) {
            return true; // reset: closing is in progress
        }
    }

    public void closeClients() {
        synchronized (clients) {
            clients.forEach(TestClient::close);
        }
    }

    @Override
    public void close() {
        closeClients();
        server.close();
    }
}
