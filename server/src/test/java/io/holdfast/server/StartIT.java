package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.driver.ClockFences;
import io.holdfast.driver.DriverSource;
import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.server.connection.AddressFormat;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.StartException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

@DisplayName("The start and the end of a server")
class StartIT {
    @TempDir private Path directory;

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_server_listens_on_an_ipv6_address(IoTransport ioTransport) throws IOException {
        assumeTrue(hasIpv6(), "no IPv6 here");
        TestConfig config =
                new TestConfig()
                        .transport(ioTransport)
                        .listeners(DflockdProtocol.endpoint("::1", 0, false));
        try (TestServer server = TestServer.start(config)) {
            assertThat(AddressFormat.of(server.address())).startsWith("[::1]:");
            TestClient client = server.connect();
            client.acquire("k");
            client.assertServed();
        }
    }

    private static boolean hasIpv6() {
        byte[] one = new byte[16];
        one[15] = 1;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByAddress(one))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void a_driver_may_use_the_input_barrier_while_it_is_opened() {
        AtomicBoolean done = new AtomicBoolean();
        DriverSource source =
                config -> {
                    config.socketReadBarrier().then(() -> done.set(true));
                    return new LocalDriver(config, new ClockFences());
                };
        try (TestServer server = TestServer.start(new TestConfig(), source)) {
            assertThat(done).isTrue();
            server.connect().assertServed();
        }
    }

    @Test
    void a_server_listens_on_several_addresses_with_one_set_of_locks() {
        TestConfig config =
                new TestConfig()
                        .listeners(
                                DflockdProtocol.endpoint("127.0.0.1", 0, false),
                                DflockdProtocol.endpoint("localhost", 0, false));
        try (TestServer server = TestServer.start(config)) {
            List<InetSocketAddress> addresses = server.server().addresses();
            assertThat(addresses).hasSize(2).doesNotHaveDuplicates();
            try (TestClient one = TestClient.connect(addresses.get(0));
                    TestClient two = TestClient.connect(addresses.get(1))) {
                one.acquire("k");
                assertThat(two.request("l", "k", "0")).isEqualTo("timeout");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_port_in_use_is_reported_in_one_line(IoTransport ioTransport) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            TestConfig config =
                    new TestConfig()
                            .transport(ioTransport)
                            .listeners(
                                    DflockdProtocol.endpoint("127.0.0.1", 0, false),
                                    DflockdProtocol.endpoint(
                                            "127.0.0.1", taken.getLocalPort(), false));
            assertStopped(config, "127.0.0.1:" + taken.getLocalPort());
        }
        awaitNoThreads();
    }

    @Test
    void an_unknown_host_is_reported_in_one_line() {
        assertStopped(
                new TestConfig()
                        .listeners(DflockdProtocol.endpoint("no-such-host.invalid", 0, false)),
                "no-such-host.invalid");
    }

    @Test
    void an_address_of_another_machine_is_reported_in_one_line() {
        assertStopped(
                new TestConfig().listeners(DflockdProtocol.endpoint("192.0.2.1", 0, false)),
                "192.0.2.1:0");
    }

    @Test
    void fences_grow_over_a_restart_though_the_file_is_ahead_of_the_clock() throws Exception {
        Path file = directory.resolve("fences");
        long ahead = 0x7000_0000_0000_0000L;
        Files.write(file, ByteBuffer.allocate(8).putLong(ahead).array());
        String last = "7000000000000000";
        for (int start = 0; start < 3; start++) {
            try (TestServer server = TestServer.start(new TestConfig().fenceFile(file))) {
                for (int i = 0; i < 3; i++) {
                    String token = server.connect().acquire("k" + i);
                    assertThat(token).isGreaterThan(last);
                    last = token;
                }
            }
        }
        assertThat(Files.size(file)).isEqualTo(8);
    }

    @Test
    void a_missing_fence_file_is_created() throws Exception {
        Path file = directory.resolve("fences");
        try (TestServer server = TestServer.start(new TestConfig().fenceFile(file))) {
            server.connect().acquire("k");
            assertThat(Files.size(file)).isEqualTo(8);
        }
    }

    @Test
    void an_unusable_fence_file_is_reported_in_one_line() throws Exception {
        Path damaged = Files.write(directory.resolve("damaged"), new byte[5]);
        assertStopped(new TestConfig().fenceFile(damaged), "5 bytes");
        Path negative =
                Files.write(directory.resolve("negative"), new byte[] {-1, 0, 0, 0, 0, 0, 0, 0});
        assertStopped(new TestConfig().fenceFile(negative), "negative");
        Path elsewhere = directory.resolve("none").resolve("fences");
        assertStopped(new TestConfig().fenceFile(elsewhere), elsewhere.toString());
        assertStopped(new TestConfig().fenceFile(directory), directory.toString());
        awaitNoThreads();
    }

    private static void assertStopped(TestConfig config, String reason) {
        assertThatThrownBy(() -> HoldfastServer.start(config.build()).close())
                .isInstanceOf(StartException.class)
                .hasMessageContaining(reason)
                .message()
                .doesNotContain("\n")
                .doesNotEndWith(": ");
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_closed_server_leaves_no_thread_and_may_be_closed_twice(IoTransport ioTransport)
            throws Exception {
        Path file = directory.resolve("fences");
        TestServer server =
                TestServer.start(new TestConfig().transport(ioTransport).fenceFile(file));
        server.connect().acquire("k");
        TestClient waiting = server.connect();
        waiting.send("l", "k", "60");
        server.awaitWaiters("k", 1);

        server.server().close();

        waiting.restBytes(); // it may be granted the lock briefly, but then it ends
        server.server().close();
        server.server().awaitEnd();
        server.close();
        awaitNoThreads();
    }

    private static void awaitNoThreads() {
        TestServer.soon().until(StartIT::threads, Set::isEmpty);
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("holdfast"))
                .collect(Collectors.toSet());
    }

    @Test
    void an_invalid_configuration_is_refused() {
        TestConfig tls = new TestConfig().listeners(DflockdProtocol.endpoint("127.0.0.1", 0, true));
        assertThatThrownBy(tls::build)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("certificate");
        assertThatThrownBy(() -> new TestConfig().readTimeout(Duration.ZERO).build())
                .hasMessage("--read-timeout must be > 0");
        assertThatThrownBy(() -> new TestConfig().writeTimeout(Duration.ofSeconds(-1)).build())
                .hasMessage("--write-timeout must be >= 0 (got -1s)");
        assertThatThrownBy(() -> new TestConfig().shutdownTimeout(Duration.ofMillis(-1)).build())
                .hasMessageStartingWith("--shutdown-timeout must be >= 0");
        assertThatThrownBy(() -> new TestConfig().collectEvery(Duration.ZERO).build())
                .hasMessage("--gc-interval must be > 0");
        assertThatThrownBy(() -> new TestConfig().maxKeys(-1).build())
                .hasMessage("--max-locks must be >= 0 (got -1)");
        assertThatThrownBy(() -> new TestConfig().maxConnections(-1).build())
                .hasMessage("--max-connections must be >= 0 (got -1)");
        assertThatThrownBy(() -> DflockdProtocol.endpoint("", 0, false))
                .isInstanceOf(ConfigException.class);
        assertThatThrownBy(() -> DflockdProtocol.endpoint("::", 65536, false))
                .isInstanceOf(ConfigException.class);
    }
}
