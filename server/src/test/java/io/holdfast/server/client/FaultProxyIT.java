package io.holdfast.server.client;

import static io.holdfast.server.TestServer.soon;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.TestClient;
import io.holdfast.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Tests that rely on the proxy prove nothing unless its faults work. */
@DisplayName("The fault proxy")
@Timeout(120)
class FaultProxyIT {
    private TestServer server;
    private FaultProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = TestServer.start();
        proxy = new FaultProxy(server.address());
    }

    @AfterEach
    void stop() {
        proxy.close();
        server.close();
    }

    private TestClient connect() {
        return TestClient.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port()));
    }

    private long counted() {
        try (TestClient direct = server.connect()) {
            return Long.parseLong(direct.request("get", "n", "").substring("ok ".length()));
        }
    }

    @Test
    void the_fault_proxy_forwards_everything_and_closes_when_one_side_does() {
        try (TestClient client = connect()) {
            client.assertServed();
            client.acquire("k");
            assertThat(proxy.accepted()).isEqualTo(1);
        }
        server.awaitStats(stats -> stats.connections() == 1);
    }

    @Test
    void the_fault_proxy_drops_requests_or_responses() {
        try (TestClient client = connect()) {
            client.assertServed();
            proxy.drop(FaultProxy.Direction.TO_SERVER);
            client.send("incr", "n", "1");
            soon().until(() -> proxy.droppedBytes() > 0);
            proxy.heal();
            client.assertClosed();
            assertThat(counted()).isZero();
        }
        try (TestClient client = connect()) {
            client.assertServed();
            long before = proxy.droppedBytes();
            proxy.drop(FaultProxy.Direction.TO_CLIENT);
            client.send("incr", "n", "1");
            soon().until(() -> counted() == 1 && proxy.droppedBytes() > before);
            proxy.heal();
            client.assertClosed();
        }
    }

    @Test
    void the_fault_proxy_delivers_stalled_bytes_when_it_is_healed() {
        try (TestClient client = connect()) {
            client.assertServed();
            proxy.stall(FaultProxy.Direction.TO_CLIENT);
            client.send("incr", "n", "1");
            soon().until(() -> counted() == 1);
            assertThat(client.available()).isZero();
            proxy.stall(FaultProxy.Direction.TO_SERVER);
            client.send("incr", "n", "1");
            assertThat(counted()).isEqualTo(1);
            proxy.heal();
            assertThat(client.line()).isEqualTo("ok 1");
            assertThat(client.line()).isEqualTo("ok 2");
        }
    }

    @Test
    void the_fault_proxy_hides_a_close_while_it_is_stalled() {
        try (TestClient client = connect()) {
            client.acquire("k");
            proxy.stall(FaultProxy.Direction.TO_SERVER);
        }
        try (TestClient rival = server.connect()) {
            assertThat(rival.request("l", "k", "0")).isEqualTo("timeout");
            proxy.heal();
            assertThat(rival.request("l", "k", "20")).startsWith("ok ");
        }
    }

    @Test
    void the_fault_proxy_ends_a_connection_for_the_server_alone() {
        try (TestClient client = connect();
                TestClient rival = server.connect()) {
            client.acquire("k");
            proxy.orphan();
            assertThat(rival.request("l", "k", "20")).startsWith("ok ");
            assertThat(client.available()).isZero();
            proxy.heal();
            client.assertClosed();
        }
    }

    @Test
    void the_fault_proxy_delays_bytes() {
        try (TestClient client = connect()) {
            client.assertServed();
            proxy.delay(FaultProxy.Direction.TO_SERVER, Duration.ofMillis(100));
            long before = System.nanoTime();
            client.assertServed();
            assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(100_000_000);
        }
    }

    @Test
    void the_fault_proxy_closes_and_resets_open_connections_and_no_later_ones() {
        try (TestClient client = connect()) {
            client.assertServed();
            proxy.cut();
            client.assertClosed();
        }
        try (TestClient client = connect()) {
            client.assertServed();
            proxy.reset();
            client.assertClosed();
        }
        try (TestClient client = connect()) {
            client.assertServed();
        }
    }

    @Test
    void the_fault_proxy_refuses_connections_until_it_is_healed() {
        proxy.refuse();
        try (TestClient client = connect()) {
            client.assertClosed();
        }
        proxy.heal();
        try (TestClient client = connect()) {
            client.assertServed();
        }
    }
}
