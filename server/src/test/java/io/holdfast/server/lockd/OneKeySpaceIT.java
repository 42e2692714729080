package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Namespace;
import io.holdfast.server.Stats;
import io.holdfast.server.TestClient;
import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("lockd and dflockd")
@Timeout(120)
class OneKeySpaceIT {
    /** How a client ends its hold. */
    enum Leaving {
        RELEASE,
        CLOSE,
        HALF_CLOSE,
        RESET
    }

    /** Indices of the listeners of the server. */
    private static final int DFLOCKD = 0;

    private static final int LOCKD = 1;
    private static final Namespace APART = new Namespace("apart");

    @TempDir private Path folder;
    private LockdTestServer server =
            LockdTestServer.start(LockdTestServer.dflockd(), LockdTestServer.lockd());

    @AfterEach
    void close() {
        server.close();
    }

    private void restart(TestConfig config) {
        server.close();
        server = LockdTestServer.start(config, LockdTestServer.dflockd(), LockdTestServer.lockd());
    }

    private static String nameOf(TestClient client) {
        return "127.0.0.1:" + client.localAddress().getPort();
    }

    private static Map<String, Object> lock(Stats stats, String key) {
        return stats.entries("locks").stream()
                .filter(entry -> entry.get("key").equals(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_lock_held_over_dflockd_is_refused_and_shown_over_lockd() {
        TestClient holder = server.connectDflockd(DFLOCKD);
        String token = holder.acquire("deploy");
        LockdTestClient client = server.connect(LOCKD);
        client.assertRefused("deploy");
        assertThat(client.request("i deploy")).isEqualTo("1 Lock Is Locked: deploy\r");
        assertThat(client.request("r deploy")).isEqualTo("0 Lock Release Failure: deploy");
        assertThat(client.list("d")).containsExactly("deploy: " + nameOf(holder));
        assertThat(client.list("d deploy")).containsExactly("deploy: " + nameOf(holder));
        assertThat(client.request("dump")).isEqualTo("map[deploy:" + nameOf(holder) + "]");
        assertThat(client.counter("locks")).isEqualTo(1);

        assertThat(holder.request("r", "deploy", token)).isEqualTo("ok");
        assertThat(client.request("i deploy")).isEqualTo("0 Lock Not Locked: deploy\r");
        assertThat(client.list("d")).isEmpty();
        assertThat(client.counter("locks")).isZero();
        client.get("deploy");
    }

    @Test
    void a_lock_held_over_lockd_is_not_granted_over_dflockd() {
        LockdTestClient holder = server.connect(LOCKD).get("deploy");
        TestClient other = server.connectDflockd(DFLOCKD);
        assertThat(other.request("l", "deploy", "0")).isEqualTo("timeout");
        assertThat(other.request("e", "deploy", "")).isEqualTo("queued");
        holder.release("deploy");
        assertThat(other.request("w", "deploy", "10")).startsWith("ok ");
        holder.assertRefused("deploy");
    }

    @ParameterizedTest
    @EnumSource
    void a_dflockd_waiter_gets_the_lock_that_a_lockd_client_releases(Leaving leaving) {
        LockdTestClient holder = server.connect(LOCKD).get("deploy");
        TestClient waiting = server.connectDflockd(DFLOCKD);
        waiting.send("l", "deploy", "60");
        server.awaitWaiters(DFLOCKD, "deploy", 1);
        switch (leaving) {
            case RELEASE -> holder.release("deploy");
            case CLOSE -> holder.close();
            case HALF_CLOSE -> holder.halfClose().assertClosed();
            case RESET -> holder.reset();
        }
        TestClient.token(waiting.line());
        LockdTestClient client = server.connect(LOCKD);
        assertThat(client.list("d")).containsExactly("deploy: " + nameOf(waiting));
        TestServer.soon()
                .until(() -> client.counter("orphans") == (leaving == Leaving.RELEASE ? 0 : 1));
    }

    @Test
    void queued_dflockd_waiters_go_before_lockd_pollers() throws Exception {
        LockdTestClient holder = server.connect(LOCKD).get("deploy");
        List<TestClient> waiting =
                List.of(
                        server.connectDflockd(DFLOCKD),
                        server.connectDflockd(DFLOCKD),
                        server.connectDflockd(DFLOCKD));
        for (int i = 0; i < waiting.size(); i++) {
            waiting.get(i).send("l", "deploy", "60");
            server.awaitWaiters(DFLOCKD, "deploy", i + 1);
        }
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicInteger polls = new AtomicInteger();
        AtomicInteger got = new AtomicInteger();
        LockdTestClient poller = server.connect(LOCKD);
        Thread polling =
                Thread.startVirtualThread(
                        () -> {
                            while (!stopped.get()) {
                                if (poller.request("g deploy").startsWith("1 ")) {
                                    got.incrementAndGet();
                                }
                                polls.incrementAndGet();
                            }
                        });
        TestServer.soon().until(() -> polls.get() > 100);
        holder.release("deploy");
        for (TestClient next : waiting) {
            String token = TestClient.token(next.line());
            int before = polls.get();
            TestServer.soon().until(() -> polls.get() > before + 20);
            assertThat(got).hasValue(0);
            assertThat(next.request("r", "deploy", token)).isEqualTo("ok");
        }
        TestServer.soon().until(() -> got.get() > 0);
        stopped.set(true);
        TestServer.soon().until(() -> !polling.isAlive());
    }

    @Test
    void dflockd_stats_show_a_hold_without_lease_and_never_a_shared_lock() {
        LockdTestClient client = server.connect(LOCKD).get("deploy");
        client.request("sg shared");
        Stats stats = server.stats(DFLOCKD);
        assertThat(stats.keys("locks")).containsExactly("deploy");
        assertThat(stats.isHeld("deploy")).isTrue();
        assertThat((Double) lock(stats, "deploy").get("lease_expires_in_s"))
                .isEqualTo(9223372036.0);
        assertThat(stats.keys("semaphores")).isEmpty();
        assertThat(stats.keys("idle_locks")).isEmpty();
        assertThat(stats.keys("idle_semaphores")).isEmpty();
        client.release("deploy");
        assertThat(client.request("sr shared")).startsWith("1 ");
        Stats after = server.stats(DFLOCKD);
        assertThat(after.keys("locks")).isEmpty();
        assertThat(after.keys("idle_locks")).isEmpty();
    }

    @Test
    void a_dflockd_token_of_another_cannot_release_or_renew_a_lockd_hold() {
        TestClient other = server.connectDflockd(DFLOCKD);
        String token = other.acquire("k");
        assertThat(other.request("r", "k", token)).isEqualTo("ok");
        LockdTestClient client = server.connect(LOCKD).get("k");
        assertThat(other.request("r", "k", token)).isEqualTo("error");
        assertThat(other.request("n", "k", token + " 1")).isEqualTo("error");
        assertThat(other.request("r", "k", "0".repeat(32))).isEqualTo("error");
        assertThat(client.isLocked("k")).isTrue();
    }

    @Test
    void shared_locks_collide_neither_with_locks_nor_with_semaphores() {
        LockdTestClient one = server.connect(LOCKD);
        LockdTestClient two = server.connect(LOCKD);
        TestClient dflockd = server.connectDflockd(DFLOCKD);
        assertThat(one.request("sg k")).isEqualTo("1 Shared Lock Get Success: k\r");
        assertThat(two.request("sg s")).isEqualTo("1 Shared Lock Get Success: s\r");
        String token = dflockd.acquire("k");
        String slot = TestClient.token(dflockd.request("sl", "s", "0 1"));
        assertThat(two.request("sg k")).isEqualTo("2 Shared Lock Get Success: k\r");
        assertThat(one.request("sg s")).isEqualTo("2 Shared Lock Get Success: s\r");
        two.assertRefused("k");
        assertThat(one.list("sd k")).containsExactly("k: " + one.name(), "k: " + two.name());
        assertThat(one.request("i s")).isEqualTo("0 Lock Not Locked: s\r");
        assertThat(one.counters()).containsEntry("locks", 1L).containsEntry("shared_locks", 2L);
        assertThat(dflockd.request("r", "k", token)).isEqualTo("ok");
        assertThat(dflockd.request("sr", "s", slot)).isEqualTo("ok");
        assertThat(one.request("si k")).isEqualTo("2 Shared Lock Is Locked: k\r");
    }

    @Test
    void a_key_may_be_a_dflockd_semaphore_and_a_free_lockd_lock() {
        TestClient dflockd = server.connectDflockd(DFLOCKD);
        assertThat(dflockd.request("sl", "pool", "0 2")).startsWith("ok ");
        LockdTestClient client = server.connect(LOCKD);
        assertThat(client.list("d")).isEmpty();
        assertThat(client.counter("locks")).isZero();
    }

    @Test
    void connections_orphans_and_commands_count_lockd_only() {
        LockdTestClient client = server.connect(LOCKD);
        TestClient holder = server.connectDflockd(DFLOCKD);
        holder.acquire("k");
        holder.assertServed();
        assertThat(holder.request("nonsense", "", "")).isEqualTo("error");
        assertThat(client.counters())
                .containsEntry("connections", 1L)
                .containsEntry("locks", 1L)
                .containsEntry("invalid_commands", 0L)
                .containsEntry("command_g", 0L)
                .containsEntry("command_r", 0L);
        holder.close();
        TestServer.soon().until(() -> !client.isLocked("k"));
        assertThat(client.counters())
                .containsEntry("orphans", 0L)
                .containsEntry("shared_orphans", 0L)
                .containsEntry("connections", 1L);
    }

    @Test
    void a_dflockd_hold_that_outlived_its_connection_is_shown_as_disconnected() throws Exception {
        restart(new TestConfig().autoRelease(false));
        TestClient holder = server.connectDflockd(DFLOCKD);
        String token = holder.acquire("k");
        LockdTestClient client = server.connect(LOCKD);
        assertThat(client.list("d")).containsExactly("k: " + nameOf(holder));
        holder.close();
        TestServer.soon().until(() -> client.list("d").equals(List.of("k: disconnected")));
        assertThat(client.list("d k")).containsExactly("k: disconnected");
        assertThat(client.request("dump")).isEqualTo("map[k:disconnected]");
        client.assertRefused("k");
        assertThat(server.connectDflockd(DFLOCKD).request("r", "k", token)).isEqualTo("ok");
        client.get("k");
    }

    @Test
    void lockd_holds_end_with_their_connection_even_without_auto_release() throws Exception {
        restart(new TestConfig().autoRelease(false));
        LockdTestClient holder = server.connect(LOCKD).get("k");
        holder.request("sg s");
        holder.close();
        LockdTestClient client = server.connect(LOCKD);
        TestServer.soon().until(() -> client.counter("connections") == 1);
        assertThat(client.counters())
                .containsEntry("locks", 0L)
                .containsEntry("shared_locks", 0L)
                .containsEntry("orphans", 1L)
                .containsEntry("shared_orphans", 1L);
    }

    @Test
    void a_lease_that_ends_frees_the_lock_for_lockd() {
        TestClient holder = server.connectDflockd(DFLOCKD);
        holder.acquire("k", 1);
        LockdTestClient client = server.connect(LOCKD);
        client.assertRefused("k");
        TestServer.soon().until(() -> client.request("g k").startsWith("1 "));
        assertThat(client.list("d")).containsExactly("k: " + client.name());
    }

    @Test
    void a_listing_is_in_order_of_acquisition_over_all_protocols() {
        TestClient dflockd = server.connectDflockd(DFLOCKD);
        LockdTestClient client = server.connect(LOCKD);
        for (int i = 9; i >= 0; i--) {
            if (i % 2 == 0) {
                client.get("k" + i);
            } else {
                dflockd.acquire("k" + i);
            }
        }
        assertThat(client.list("d").stream().map(line -> line.substring(0, 2)))
                .containsExactly("k9", "k8", "k7", "k6", "k5", "k4", "k3", "k2", "k1", "k0");
    }

    @Test
    void signals_stay_in_their_namespace() {
        server.close();
        server =
                LockdTestServer.start(
                        LockdTestServer.dflockd(),
                        LockdTestServer.lockd(),
                        LockdTestServer.dflockd(APART));
        TestClient here = server.connectDflockd(0).listen("a.*");
        TestClient there = server.connectDflockd(2).listen("a.*").listen("a.b");
        assertThat(here.request("signal", "a.b", "one")).isEqualTo("ok 1");
        assertThat(Stats.parse(there.request("stats", "", "")).listeners("a.b")).isEqualTo(1);
        assertThat(server.connectDflockd(0).request("signal", "a.b", "two")).isEqualTo("ok 1");
    }

    @Test
    void listeners_of_different_namespaces_share_no_keys() throws Exception {
        server.close();
        server =
                LockdTestServer.start(
                        LockdTestServer.dflockd(),
                        LockdTestServer.lockd(),
                        LockdTestServer.dflockd(APART),
                        LockdTestServer.lockd(APART, true, true),
                        LockdTestServer.lockd(APART, true, true));
        LockdTestClient here = server.connect(LOCKD);
        LockdTestClient there = server.connect(3);
        TestClient dflockdHere = server.connectDflockd(DFLOCKD);
        TestClient dflockdThere = server.connectDflockd(2);

        here.get("both");
        there.get("both");
        assertThat(here.request("sg s")).isEqualTo("1 Shared Lock Get Success: s\r");
        assertThat(there.request("sg s")).isEqualTo("1 Shared Lock Get Success: s\r");
        dflockdHere.acquire("k");
        dflockdThere.acquire("k");
        here.assertRefused("k");
        there.assertRefused("k");
        here.request("iam here");
        there.request("iam there");

        assertThat(here.list("d")).containsExactly("both: here", "k: " + nameOf(dflockdHere));
        assertThat(there.list("d")).containsExactly("both: there", "k: " + nameOf(dflockdThere));
        assertThat(here.request("dump"))
                .isEqualTo("map[both:" + here.name() + " k:" + nameOf(dflockdHere) + "]");
        assertThat(there.request("dump shared")).isEqualTo("map[s:[" + there.name() + "]]");
        assertThat(here.list("who")).containsExactly(here.name() + ": here");
        assertThat(there.list("who")).containsExactly(there.name() + ": there");
        assertThat(there.list("who here")).isEmpty();
        there.get("alone");
        assertThat(here.counters()).containsEntry("connections", 1L).containsEntry("locks", 2L);
        assertThat(there.counters())
                .containsEntry("connections", 1L)
                .containsEntry("locks", 3L)
                .containsEntry("shared_locks", 1L)
                .containsEntry("command_g", 3L);
        assertThat(Stats.parse(dflockdHere.request("stats", "", "")).keys("locks"))
                .containsExactlyInAnyOrder("both", "k");
        assertThat(Stats.parse(dflockdThere.request("stats", "", "")).keys("locks"))
                .containsExactlyInAnyOrder("both", "k", "alone");

        // Two listeners of the same namespace share everything.
        LockdTestClient again = server.connect(4);
        again.assertRefused("alone");
        assertThat(again.request("sg s")).isEqualTo("2 Shared Lock Get Success: s\r");
        assertThat(again.list("who")).containsExactly(there.name() + ": there");
        assertThat(again.counter("connections")).isEqualTo(2);
        assertThat(again.counter("command_g")).isEqualTo(4);
        there.close();
        TestServer.soon().until(() -> again.counter("connections") == 1);
        assertThat(again.counters())
                .containsEntry("orphans", 2L)
                .containsEntry("shared_orphans", 1L);
        assertThat(here.counters()).containsEntry("orphans", 0L).containsEntry("locks", 2L);
        dflockdThere.close();
        TestServer.soon().until(() -> !again.isLocked("k"));
        here.assertRefused("k");
    }

    @Test
    void a_lock_acquired_on_a_unix_socket_is_refused_over_tcp() throws Exception {
        server.close();
        Path socket = folder.resolve("socket");
        server =
                LockdTestServer.start(
                        LockdTestServer.dflockd(),
                        LockdTestServer.lockd(),
                        LockdTestServer.unix(socket));
        LockdTestClient local = server.connect(socket).get("k");
        LockdTestClient remote = server.connect(LOCKD);
        TestClient dflockd = server.connectDflockd(DFLOCKD);
        remote.assertRefused("k");
        assertThat(dflockd.request("l", "k", "0")).isEqualTo("timeout");
        assertThat(remote.list("d")).containsExactly("k: unix:1");
        assertThat(remote.counter("connections")).isEqualTo(2);
        dflockd.send("l", "k", "60");
        server.awaitWaiters(DFLOCKD, "k", 1);
        local.close();
        assertThat(dflockd.line()).startsWith("ok ");
        remote.assertRefused("k");
        dflockd.close();
        LockdTestClient next = server.connect(socket);
        TestServer.soon().until(() -> next.request("g k").startsWith("1 "));
        remote.assertRefused("k");
    }
}
