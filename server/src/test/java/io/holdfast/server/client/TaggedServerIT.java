package io.holdfast.server.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.client.internal.service.AcquireOutcome;
import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.AcquireRequest.Kind;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.TimerClock;
import io.holdfast.client.internal.wire.WireServiceConnector;
import io.holdfast.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

@DisplayName("The client's tagged connection and the server")
class TaggedServerIT {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private TestServer server;
    private LockService service;

    @BeforeEach
    void connect() throws Exception {
        server = TestServer.start();
        service = open();
    }

    @AfterEach
    void disconnect() {
        service.close();
        server.close();
        timers.shutdownNow();
    }

    private LockService open() throws Exception {
        return open(server.address().getPort());
    }

    private LockService open(int port) throws Exception {
        var address = InetSocketAddress.createUnresolved("127.0.0.1", port);
        var config =
                new ServiceConfig(
                        List.of(address),
                        null,
                        null,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(3),
                        "test:1",
                        4,
                        false,
                        ForkJoinPool.commonPool());
        var timeline =
                new TimerClock() {
                    @Override
                    public long nanoTime() {
                        return System.nanoTime();
                    }

                    @Override
                    public Timer schedule(long delayNanos, Runnable task) {
                        var timer = timers.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
                        return () -> timer.cancel(false);
                    }
                };
        return WireServiceConnector.connect(config, new Recorder(), timeline);
    }

    private static AcquireRequest lock(Kind kind, String key, long lease, boolean unbound) {
        return new AcquireRequest(kind, key, 1, AcquireRequest.FOREVER, lease, unbound);
    }

    private GrantedHold acquire(AcquireRequest request) throws Exception {
        var done = new CompletableFuture<AcquireOutcome>();
        service.acquire(request, done::complete);
        return ((AcquireOutcome.Granted) done.get(60, TimeUnit.SECONDS)).hold();
    }

    private GrantedHold acquire(String key) throws Exception {
        return acquire(lock(Kind.LOCK, key, 0, false));
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @Test
    void ten_thousand_waiters_on_one_key_are_granted_in_order() throws Exception {
        int many = 10_000;
        GrantedHold first = acquire("k");
        var order = new CopyOnWriteArrayList<Integer>();
        var fences = new CopyOnWriteArrayList<Long>();
        var left = new AtomicInteger(many);
        IntStream.range(0, many)
                .forEach(
                        number ->
                                service.acquire(
                                        lock(Kind.LOCK, "k", 0, false),
                                        acquireOutcome -> {
                                            GrantedHold hold =
                                                    ((AcquireOutcome.Granted) acquireOutcome)
                                                            .hold();
                                            order.add(number);
                                            fences.add(hold.fence().getAsLong());
                                            hold.release().thenRun(left::decrementAndGet);
                                        }));
        get(first.release());
        TestServer.soon().until(() -> left.get() == 0);
        assertThat(order).hasSize(many).isSorted();
        assertThat(fences).isSorted();
    }

    @Test
    void a_cancel_that_races_with_a_grant_has_one_outcome() throws Exception {
        for (int round = 0; round < 500; round++) {
            GrantedHold hold = acquire("k");
            var outcomes = new CopyOnWriteArrayList<AcquireOutcome>();
            var acquireAttempt = service.acquire(lock(Kind.LOCK, "k", 0, false), outcomes::add);
            var released = hold.release();
            acquireAttempt.cancel();
            TestServer.soon().until(() -> !outcomes.isEmpty());
            if (outcomes.get(0) instanceof AcquireOutcome.Granted granted) {
                assertThat(get(granted.hold().release())).isTrue();
            }
            assertThat(get(released)).isTrue();
            assertThat(outcomes).hasSize(1);
        }
    }

    @Test
    void readers_share_a_lock_and_the_end_of_a_lease_is_reported() throws Exception {
        GrantedHold one = acquire(lock(Kind.READ, "k", 0, false));
        GrantedHold two = acquire(lock(Kind.READ, "k", TimeUnit.MILLISECONDS.toNanos(50), false));
        var losses = new CopyOnWriteArrayList<GrantedHold.Loss>();
        two.onLost(losses::add);
        TestServer.soon().until(() -> losses.equals(List.of(GrantedHold.Loss.EXPIRED)));
        assertThat(get(one.renew(0))).isPositive();
        assertThat(get(two.renew(0))).isEqualTo(-1);
    }

    @Test
    void closing_a_client_ends_bound_holds_and_nothing_else() throws Exception {
        acquire("bound");
        GrantedHold unbound = acquire(lock(Kind.LOCK, "unbound", 0, true));
        service.close();
        service = open();
        acquire("bound");
        var response = service.command("r", "unbound", unbound.token());
        assertThat(get(response)).isEqualTo("ok");
    }

    @Test
    void a_broken_connection_is_resumed_with_all_its_holds_and_waits() throws Exception {
        try (var relay = new Relay(server.address().getPort())) {
            service.close();
            events.clear();
            service = open(relay.port());
            GrantedHold hold = acquire("k");
            var losses = new CopyOnWriteArrayList<GrantedHold.Loss>();
            hold.onLost(losses::add);
            var order = new CopyOnWriteArrayList<Integer>();
            for (int i = 0; i < 1_200; i++) {
                int number = i;
                service.acquire(
                        lock(Kind.LOCK, "k", 0, false),
                        acquireOutcome -> {
                            order.add(number);
                            ((AcquireOutcome.Granted) acquireOutcome).hold().release();
                        });
            }
            assertThat(get(hold.renew(0))).isPositive();
            relay.cut();
            TestServer.soon().until(() -> events.contains("restored"));
            assertThat(get(hold.release())).isTrue();
            TestServer.soon().until(() -> order.size() == 1_200);
            assertThat(order).isSorted();
            assertThat(losses).isEmpty();
            assertThat(events).containsExactly("connected", "suspended", "restored");
        }
    }

    /** Forwards bytes until all connections are cut. */
    private static final class Relay implements AutoCloseable {
        private final ServerSocket listener;
        private final int target;
        private final List<Socket> sockets = new CopyOnWriteArrayList<>();

        Relay(int target) throws IOException {
            this.target = target;
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Thread.ofVirtual().start(this::accept);
        }

        int port() {
            return listener.getLocalPort();
        }

        void cut() throws IOException {
            for (Socket socket : sockets) {
                socket.close();
            }
            sockets.removeIf(Socket::isClosed);
        }

        @Override
        public void close() throws IOException {
            listener.close();
            cut();
        }

        private void accept() {
            try {
                while (true) {
                    Socket client = listener.accept();
                    var server = new Socket(InetAddress.getLoopbackAddress(), target);
                    sockets.add(client);
                    sockets.add(server);
                    Thread.ofVirtual().start(() -> pump(client, server));
                    Thread.ofVirtual().start(() -> pump(server, client));
                }
            } catch (IOException e) {
                // the test has ended
            }
        }

        private static void pump(Socket from, Socket to) {
            try (from;
                    to) {
                from.getInputStream().transferTo(to.getOutputStream());
            } catch (IOException e) {
                // the connection was cut
            }
        }
    }

    private final class Recorder implements ServiceEvents {
        @Override
        public void connected() {
            events.add("connected");
        }

        @Override
        public void suspended() {
            events.add("suspended");
        }

        @Override
        public void restored() {
            events.add("restored");
        }

        @Override
        public void lost() {
            events.add("lost");
        }

        @Override
        public void reconnected() {
            events.add("reconnected");
        }
    }
}
