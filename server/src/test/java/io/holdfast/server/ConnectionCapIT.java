package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.server.dflockd.DflockdProtocol;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

@DisplayName("A cap on connections")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
class ConnectionCapIT {
    private final IoTransport ioTransport;

    /** Keeps sockets reachable: the garbage collector may close an unreachable one. */
    private final List<TestClient> connected = new ArrayList<>();

    private TestServer server;

    ConnectionCapIT(IoTransport ioTransport) {
        this.ioTransport = ioTransport;
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void start(TestConfig config) {
        server = TestServer.start(config.transport(ioTransport));
    }

    private static boolean isServed(TestClient client) {
        try {
            client.sendRaw("ping\n\n\n");
            return client.rest(3).equals("ok\n");
        } catch (UncheckedIOException e) {
            return false; // closed before or during the request
        }
    }

    @Test
    void a_connection_beyond_the_cap_is_closed_without_a_byte_and_others_stay() {
        start(new TestConfig().maxConnections(2));
        TestClient first = server.connect();
        first.assertServed();
        TestClient second = server.connect();
        second.assertServed();

        server.connect().assertClosed();
        TestClient sending = server.connect();
        sending.sendIfOpen("ping\n\n\n");
        sending.assertClosed();

        first.assertServed();
        second.assertServed();
    }

    @Test
    void the_connection_cap_counts_only_open_connections() {
        start(new TestConfig().maxConnections(1));
        for (int i = 0; i < 50; i++) {
            try (TestClient client = nextServed()) {
                client.acquire("k");
            }
        }
    }

    @Test
    void the_connection_cap_counts_only_open_connections_however_others_ended() {
        start(new TestConfig().maxConnections(1));
        for (int i = 0; i < 10; i++) {
            nextServed().reset();
            nextServed().sendRaw("x".repeat(300) + "\n").close();
            nextServed().halfClose();
            nextServed().sendRaw("stats\n\n\n").close();
            nextServed().sendRaw("l\nk\n0\nl\nk\n60\n").close();
        }
        nextServed();
    }

    /**
     * Connects until a connection is served: a slot is free when the server has seen the end of a
     * connection.
     */
    private TestClient nextServed() {
        return TestServer.soon()
                .until(
                        () -> {
                            TestClient client = TestClient.connect(server.address());
                            return isServed(client) ? client : null;
                        },
                        client -> client != null);
    }

    /** Two listeners on two event loops accept at the same time. */
    @Test
    void the_connection_cap_is_exact_when_two_arrive_together_for_the_last_slot() throws Exception {
        start(
                new TestConfig()
                        .maxConnections(2)
                        .listeners(
                                DflockdProtocol.endpoint("127.0.0.1", 0, false),
                                DflockdProtocol.endpoint("127.0.0.1", 0, false)));
        List<InetSocketAddress> addresses = server.server().addresses();
        TestClient resident = server.connect();
        resident.assertServed();
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            CyclicBarrier together = new CyclicBarrier(2);
            for (int round = 0; round < 40; round++) {
                List<CompletableFuture<TestClient>> arriving = new ArrayList<>();
                for (InetSocketAddress address : addresses) {
                    arriving.add(
                            CompletableFuture.supplyAsync(
                                    () -> {
                                        arrive(together);
                                        return TestClient.connect(address);
                                    },
                                    pool));
                }
                TestClient one = arriving.get(0).get();
                TestClient two = arriving.get(1).get();
                boolean oneServed = isServed(one);
                assertThat(isServed(two)).as("round %d", round).isNotEqualTo(oneServed);
                one.close();
                two.close();
                TestServer.soon()
                        .until(
                                () ->
                                        Stats.parse(resident.request("stats", "", "")).connections()
                                                == 1);
            }
        }
        resident.assertServed();
    }

    private static void arrive(CyclicBarrier together) {
        try {
            together.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void the_connection_cap_is_exact_when_many_arrive_together() throws Exception {
        start(new TestConfig().maxConnections(10));
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            clients.add(server.connect());
        }
        assertThat(clients.stream().filter(ConnectionCapIT::isServed)).hasSize(10);
    }

    @Test
    void the_cap_per_address_counts_each_address_separately() throws Exception {
        start(new TestConfig().maxConnectionsPerAddress(2));
        TestClient first = from("127.0.0.1");
        assertThat(isServed(first)).isTrue();
        assertThat(isServed(from("127.0.0.1"))).isTrue();
        assertThat(isServed(from("127.0.0.1"))).isFalse();
        assertThat(isServed(from("127.0.0.2"))).isTrue();

        first.close();

        TestServer.soon().until(() -> isServed(from("127.0.0.1")));
        assertThat(isServed(from("127.0.0.1"))).isFalse();
    }

    private TestClient from(String local) throws IOException {
        Socket socket = new Socket();
        try {
            socket.bind(new InetSocketAddress(InetAddress.getByName(local), 0));
        } catch (BindException e) {
            assumeTrue(false, "only one loopback address here");
        }
        socket.connect(server.address(), TestClient.DEADLINE_MILLIS);
        TestClient client = new TestClient(socket);
        connected.add(client);
        return client;
    }
}
