package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.driver.SessionView;
import io.holdfast.driver.monitor.Histogram;
import io.holdfast.driver.monitor.ProtocolTraffic;
import io.holdfast.driver.monitor.ServerMonitor;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.server.TestClient;
import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.lockd.LockdOptions;
import io.holdfast.server.lockd.LockdProtocol;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Clients of all protocols use one key; an operator forces releases and disconnects clients. */
@DisplayName("Operator commands")
@Timeout(120)
class OperatorIT {
    private static final String KEY = "deploy";

    @TempDir private Path folder;
    private SocketlockTestServer server;
    private Driver driver;

    @BeforeEach
    void start() {
        Path path = folder.resolve("s");
        server =
                SocketlockTestServer.start(
                        new TestConfig(),
                        path,
                        DflockdProtocol.endpoint("127.0.0.1", 0, false),
                        lockdListener(),
                        SocketlockTestServer.endpoint(
                                path, KEY, null, SocketlockTestServer.DEFAULT_TIMEOUTS));
        driver = server.server().backend().driver();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static ListenEndpoint lockdListener() {
        return new ListenEndpoint(
                LockdProtocol.TCP,
                new ListenAddress.Tcp("127.0.0.1", 0),
                new LockdOptions(Namespace.DEFAULT, true, true));
    }

    // ---- clients

    private TestClient dflockd() {
        return server.connectDflockd();
    }

    private TestClient tagged(String more) {
        TestClient client = dflockd();
        client.sendRaw("hello\n_\n1 " + more + "\n");
        assertThat(client.line()).startsWith("ok 1 ");
        return client;
    }

    private TestClient lockd() {
        return TestClient.connect(server.server().server().addresses().get(1));
    }

    private static String request(TestClient lockd, String line) {
        return lockd.sendRaw(line + "\n").line().strip();
    }

    private void assertFree() {
        try (TestClient looking = lockd()) {
            TestServer.soon()
                    .until(() -> request(looking, "i " + KEY).equals("0 Lock Not Locked: " + KEY));
        }
    }

    // ---- the operator

    private Effect.ForceReleased forceRelease(ResourceKind resourceKind) {
        List<Effect> responses = new ArrayList<>();
        Session session =
                driver.open(
                        new EffectMailbox() {
                            @Override
                            public void add(Effect effect) {
                                responses.add(effect);
                            }

                            @Override
                            public void wake() {}
                        },
                        new ClientInfo("http", () -> "operator"));
        session.submit(new Command.ForceRelease(session.id(), 1, resourceKind, Key.of(KEY), 0));
        session.close(1);
        return (Effect.ForceReleased) responses.getFirst();
    }

    private long holder() {
        return driver.queries()
                .view(ResourceKind.LOCK, Key.of(KEY), 1)
                .holders()
                .getFirst()
                .session();
    }

    private long waiting(String protocol) {
        try (ScanCursor<SessionView> sessions = driver.listSessions()) {
            return sessions.next().stream()
                    .filter(session -> session.protocol().equals(protocol) && session.waits() > 0)
                    .findFirst()
                    .orElseThrow()
                    .id();
        }
    }

    // ---- forced releases

    @Test
    void a_dflockd_client_cannot_renew_a_hold_that_was_force_released() {
        TestClient client = dflockd();
        String token = client.acquire(KEY);
        assertThat(forceRelease(ResourceKind.LOCK).holds()).isEqualTo(1);
        assertThat(client.request("n", KEY, token)).isEqualTo("error");
        assertThat(client.request("r", KEY, token)).isEqualTo("error");
        assertFree();
        client.acquire(KEY);
    }

    @Test
    void a_tagged_client_is_notified_of_a_forced_release() {
        TestClient client = tagged("grace=30");
        client.sendRaw("7 l\n" + KEY + "\n0\n");
        assertThat(client.line()).startsWith("7 ok ");
        assertThat(forceRelease(ResourceKind.LOCK).holds()).isEqualTo(1);
        assertThat(client.line()).contains("lost", "7");
        assertFree();
    }

    @Test
    void a_lockd_client_sees_a_forced_release() {
        TestClient client = lockd();
        assertThat(request(client, "g " + KEY)).startsWith("1 ");
        assertThat(request(client, "i " + KEY)).isEqualTo("1 Lock Is Locked: " + KEY);
        assertThat(forceRelease(ResourceKind.LOCK).holds()).isEqualTo(1);
        assertThat(request(client, "i " + KEY)).isEqualTo("0 Lock Not Locked: " + KEY);
        assertThat(request(client, "r " + KEY)).startsWith("0 ");
        client.close();
    }

    @Test
    void a_forced_release_ends_all_holds_of_a_shared_lock() {
        TestClient one = lockd();
        TestClient other = lockd();
        request(one, "sg " + KEY);
        request(other, "sg " + KEY);
        assertThat(forceRelease(ResourceKind.SHARED).holds()).isEqualTo(2);
        assertThat(request(one, "si " + KEY)).startsWith("0 ");
        one.close();
        other.close();
    }

    @Test
    void a_socketlock_client_learns_of_a_forced_release_when_it_queries_the_status() {
        SocketlockTestClient client = server.connect().holds("WRITE", "mine");
        SocketlockTestClient next = server.connect().waits("WRITE", "its");
        assertThat(forceRelease(ResourceKind.LOCK).holds()).isEqualTo(1);
        next.expect("WRITELOCK its").confirms("its");
        client.assertNotHeld("mine");
        next.assertHeld("its");
    }

    @Test
    void the_next_waiter_gets_a_force_released_lock_with_a_higher_fence() {
        TestClient client = dflockd();
        client.acquire(KEY);
        long before =
                driver.queries()
                        .view(ResourceKind.LOCK, Key.of(KEY), 1)
                        .holders()
                        .getFirst()
                        .fence();
        TestClient next = dflockd();
        next.send("l", KEY, "60");
        server.server().awaitWaiters(KEY, 1);
        forceRelease(ResourceKind.LOCK);
        TestClient.token(next.line());
        assertThat(
                        driver.queries()
                                .view(ResourceKind.LOCK, Key.of(KEY), 1)
                                .holders()
                                .getFirst()
                                .fence())
                .isGreaterThan(before);
    }

    // ---- disconnecting clients

    @Test
    void clients_of_every_protocol_can_be_disconnected_and_lose_their_holds() {
        TestClient plain = dflockd();
        plain.acquire(KEY);
        assertThat(driver.kick(holder())).isTrue();
        plain.assertClosed();
        assertFree();

        TestClient tagged = tagged("grace=30");
        tagged.sendRaw("1 l\n" + KEY + "\n0\n");
        assertThat(tagged.line()).startsWith("1 ok ");
        assertThat(driver.kick(holder())).isTrue();
        tagged.assertClosed();
        assertFree();

        TestClient lockd = lockd();
        request(lockd, "g " + KEY);
        assertThat(driver.kick(holder())).isTrue();
        lockd.assertClosed();
        lockd.close();
        assertFree();

        SocketlockTestClient socketlock = server.connect().holds("WRITE", "mine");
        assertThat(driver.kick(holder())).isTrue();
        socketlock.assertClosed();
        assertFree();
    }

    @Test
    void disconnecting_ends_a_detached_tagged_session_before_its_grace() {
        TestClient client = tagged("grace=60");
        client.sendRaw("1 l\n" + KEY + "\n0\n");
        assertThat(client.line()).startsWith("1 ok ");
        long session = holder();
        client.close();
        server.server().awaitConnections(0);
        assertThat(driver.session(session)).isNotNull();
        assertThat(driver.kick(session)).isTrue();
        assertFree();
        assertThat(driver.session(session)).isNull();
        assertThat(driver.kick(session)).isFalse();
    }

    @Test
    void waiting_clients_can_be_disconnected() {
        TestClient holder = dflockd();
        String token = holder.acquire(KEY);
        TestClient waiting = dflockd();
        waiting.send("l", KEY, "60");
        server.server().awaitWaiters(KEY, 1);
        assertThat(driver.kick(waiting("dflockd"))).isTrue();
        waiting.assertClosed();
        server.server().awaitWaiters(KEY, 0);
        assertThat(holder.request("r", KEY, token)).isEqualTo("ok");
    }

    // ---- metrics

    @Test
    void bytes_and_connections_are_counted_by_protocol() {
        ServerMonitor serverMonitor = server.server().backend().monitor();
        TestClient plain = dflockd();
        assertThat(plain.request("ping", "_", "_")).isEqualTo("ok");
        TestClient lockd = lockd();
        assertThat(request(lockd, "i x")).isEqualTo("0 Lock Not Locked: x");
        SocketlockTestClient socketlock = server.connect();
        ProtocolTraffic dflockd = serverMonitor.traffic("dflockd");
        assertThat(dflockd.received()).isEqualTo("ping\n_\n_\n".length());
        assertThat(dflockd.sent()).isEqualTo("ok\n".length());
        assertThat(serverMonitor.traffic("lockd").received()).isEqualTo("i x\n".length());
        assertThat(serverMonitor.traffic("lockd").sent())
                .isEqualTo("0 Lock Not Locked: x\r\n".length());
        assertThat(serverMonitor.traffic("socketlock").received()).isPositive();
        assertThat(Stream.of("dflockd", "lockd", "socketlock"))
                .allMatch(protocol -> serverMonitor.traffic(protocol).connections() == 1);
        plain.close();
        lockd.close();
        socketlock.close();
        TestServer.soon()
                .until(
                        () ->
                                serverMonitor.traffic().values().stream()
                                        .allMatch(
                                                protocolTraffic ->
                                                        protocolTraffic.connections() == 0));
    }

    @Test
    void hand_offs_are_timed_and_immediate_grants_are_not() {
        ServerMonitor serverMonitor = server.server().backend().monitor();
        TestClient first = dflockd();
        String token = first.acquire(KEY);
        assertThat(handOffs(serverMonitor)).isZero();
        TestClient second = dflockd();
        second.send("l", KEY, "60");
        server.server().awaitWaiters(KEY, 1);
        assertThat(first.request("r", KEY, token)).isEqualTo("ok");
        TestClient.token(second.line());
        assertThat(handOffs(serverMonitor)).isEqualTo(1);
        second.close();
        SocketlockTestClient third = server.connect().holds("WRITE", "its");
        SocketlockTestClient fourth = server.connect().waits("WRITE", "mine");
        third.releases("its");
        fourth.expect("WRITELOCK mine");
        assertThat(handOffs(serverMonitor)).isEqualTo(2);
    }

    private static long handOffs(ServerMonitor serverMonitor) {
        long[] counts = new long[Histogram.buckets()];
        serverMonitor.handOffs().forEach(histogram -> histogram.addTo(counts));
        return Arrays.stream(counts).sum();
    }
}
