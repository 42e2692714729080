package io.holdfast.server.lockd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.ClientLimits;
import io.holdfast.server.IoTransport;
import io.holdfast.server.TestClient;
import io.holdfast.server.TestConfig;
import io.holdfast.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

@DisplayName("lockd's limits:")
@Timeout(120)
class LockdLimitsIT {
    private static final int MANY = 110_000;
    private static final String PREFIX = "a-name-that-is-long-enough-to-fill-the-buffers-";

    private LockdTestServer server;

    private void start(TestConfig config) {
        server = LockdTestServer.start(config, LockdTestServer.lockd(), LockdTestServer.dflockd());
    }

    @AfterEach
    void close() {
        server.close();
    }

    // ---- incomplete lines

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_line_not_completed_in_time_closes_its_connection_and_idle_ones_stay(
            IoTransport ioTransport) {
        start(new TestConfig().readTimeout(Duration.ofMillis(300)).transport(ioTransport));
        LockdTestClient idle = server.connect().get("idle");
        Map<String, LockdTestClient> unfinished = new HashMap<>();
        for (String part : List.of("g half", "g done\ng half", "x".repeat(70_000), " ")) {
            unfinished.put(part, server.connect().send(part));
        }
        unfinished.forEach(
                (part, client) -> {
                    String response = part.contains("\n") ? "1 Lock Get Success: done\r\n" : "";
                    assertThat(client.rest()).as(part).isEqualTo(response);
                });
        TestServer.soon().until(() -> idle.counter("connections") == 1);
        assertThat(idle.isLocked("half")).isFalse();
        assertThat(idle.isLocked("done")).isFalse();
        idle.release("idle");
    }

    // ---- names

    @Test
    void keys_beyond_the_limit_of_a_connection_are_refused_to_it_alone() {
        start(new TestConfig().perClient(new ClientLimits(2, 0, 0)));
        LockdTestClient one = server.connect().get("a").get("b");
        assertThat(one.request("g c")).isEqualTo("0 Lock Get Failure: c\r");
        assertThat(server.connect().request("g c")).startsWith("1 Lock Get Success: c");
        assertThat(one.request("r a")).startsWith("1 Lock Release Success: a");
        assertThat(one.request("g d")).startsWith("1 Lock Get Success: d");
    }

    @Test
    void keys_beyond_the_limit_are_refused_until_others_are_released() {
        start(new TestConfig().maxLockdLocks(3));
        LockdTestClient one = server.connect().get("a").get("b");
        LockdTestClient two = server.connect();
        assertThat(two.request("sg c")).isEqualTo("1 Shared Lock Get Success: c\r");
        for (LockdTestClient client : List.of(one, two)) {
            assertThat(client.request("g d")).isEqualTo("0 Lock Get Failure: d\r");
            assertThat(client.request("sg d")).isEqualTo("0 Shared Lock Get Failure: d\r");
        }
        assertThat(one.isLocked("d")).isFalse();
        assertThat(one.counters())
                .containsEntry("locks", 2L)
                .containsEntry("shared_locks", 1L)
                .containsEntry("command_g", 4L)
                .containsEntry("command_sg", 3L);

        // Held locks can be acquired again, and a shared lock can be shared.
        assertThat(one.request("g a")).isEqualTo("1 Lock Get Success: a");
        assertThat(one.request("sg c")).isEqualTo("2 Shared Lock Get Success: c\r");
        two.assertRefused("a");

        one.release("a");
        two.get("d");
        one.assertRefused("a"); // full again
        assertThat(two.request("sr c")).startsWith("1 ");
        one.assertRefused("a"); // the other holder is left
        assertThat(one.request("sr c")).startsWith("1 ");
        assertThat(one.request("sg e")).isEqualTo("1 Shared Lock Get Success: e\r");
        one.close();
        TestServer.soon().until(() -> two.counter("connections") == 1);
        two.get("a").get("b").assertRefused("c");
    }

    @Test
    void the_limit_of_locks_applies_to_lockd_alone() {
        start(new TestConfig().maxLockdLocks(1).maxKeys(2));
        LockdTestClient client = server.connect().get("a");
        TestClient dflockd = server.connectDflockd(1);
        String token = dflockd.acquire("x");
        dflockd.acquire("y");
        client.assertRefused("b");
        assertThat(dflockd.request("l", "z", "0")).isEqualTo("error_max_locks");
        client.release("a").get("b");
        assertThat(dflockd.request("r", "x", token)).isEqualTo("ok");
    }

    @Test
    void released_lockd_locks_leave_no_idle_entry() {
        start(new TestConfig().maxLockdLocks(10).maxKeys(10));
        LockdTestClient client = server.connect();
        for (int i = 0; i < 2000; i++) {
            client.get("k" + i).release("k" + i);
            client.request("sg k" + i);
            assertThat(client.request("sr k" + i)).startsWith("1 ");
            client.request("i other" + i);
            client.request("si other" + i);
            client.request("r other" + i);
        }
        assertThat(server.stats(1).keys("idle_locks")).isEmpty();
        assertThat(server.stats(1).keys("idle_semaphores")).isEmpty();
        TestClient dflockd = server.connectDflockd(1);
        for (int i = 0; i < 10; i++) {
            dflockd.acquire("d" + i);
        }
    }

    // ---- long listings

    @Test
    void a_long_listing_is_complete_and_others_are_answered_meanwhile() throws Exception {
        start(new TestConfig().writeTimeout(Duration.ZERO));
        LockdTestClient holder = server.connect().getMany(PREFIX, 0, MANY);
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicLong answered = new AtomicLong();
        List<Thread> churning = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            LockdTestClient client = server.connect();
            String own = "churn" + i;
            churning.add(
                    Thread.startVirtualThread(
                            () -> {
                                while (!stopped.get()) {
                                    client.getMany(own, 0, 20).releaseMany(own, 0, 20);
                                    answered.addAndGet(40);
                                }
                            }));
        }
        // A client that has begun to read and then stops, so that its listing is not complete.
        LockdTestClient waiting = server.connectNarrow();
        waiting.send("d\ni end of the listing\n");
        String first = waiting.line();
        awaitMore(answered, 2000);
        LockdTestClient reading = server.connect();
        for (String command : List.of("d", "dump")) {
            List<String> keys = keysOf(reading.list(command));
            assertThat(new HashSet<>(keys)).as(command).hasSameSizeAs(keys);
            assertThat(keys.stream().filter(key -> key.startsWith(PREFIX)).count())
                    .as(command)
                    .isEqualTo(MANY);
        }
        awaitMore(answered, 500);
        List<String> rest = waiting.linesToMark();
        rest.add(first);
        assertThat(new HashSet<>(rest)).hasSameSizeAs(rest);
        String held = ": " + holder.name();
        assertThat(
                        rest.stream()
                                .filter(line -> line.startsWith(PREFIX) && line.endsWith(held))
                                .count())
                .isEqualTo(MANY);
        stopped.set(true);
        for (Thread each : churning) {
            TestServer.soon().until(() -> !each.isAlive());
        }
    }

    private static void awaitMore(AtomicLong answered, long more) {
        long before = answered.get();
        TestServer.soon().until(() -> answered.get() >= before + more);
    }

    /** The names in the response to {@code d} or {@code dump}. */
    private static List<String> keysOf(List<String> lines) {
        if (lines.size() > 1) {
            return lines.stream().map(LockdLimitsIT::keyOf).toList();
        }
        String map = lines.getFirst();
        assertThat(map).startsWith("map[").endsWith("]");
        List<String> keys =
                Arrays.stream(map.substring(4, map.length() - 1).split(" ", -1))
                        .map(LockdLimitsIT::keyOf)
                        .toList();
        assertThat(keys.stream().sorted().toList().equals(keys)).as("sorted").isTrue();
        return keys;
    }

    private static String keyOf(String entry) {
        return entry.substring(0, entry.indexOf(':'));
    }

    @Test
    void a_client_that_stops_reading_a_long_listing_is_disconnected_and_others_continue() {
        start(new TestConfig().writeTimeout(Duration.ofMillis(500)));
        LockdTestClient holder = server.connect().getMany(PREFIX, 0, MANY);
        LockdTestClient stuck = server.connectNarrow().get("stuck");
        stuck.send("dump\n");
        TestServer.soon().until(() -> !holder.isLocked("stuck"));
        assertThat(holder.counter("connections")).isEqualTo(1);
        stuck.skipToEnd();
        LockdTestClient other = server.connect();
        assertThat(other.list("d")).hasSize(MANY);
        assertThat(holder.list("dump")).hasSize(1);
    }

    // ---- sessions with many holds

    @Test
    void a_session_with_many_locks_leaves_none_behind() {
        start(new TestConfig());
        LockdTestClient other = server.connect();
        LockdTestClient holder = server.connect().getMany("k", 0, MANY);
        assertThat(other.counter("locks")).isEqualTo(MANY);
        holder.close();
        TestServer.soon()
                .until(() -> other.counter("locks") == 0 && other.counter("connections") == 1);
        assertThat(other.counter("orphans")).isEqualTo(MANY);
        other.getMany("k", 0, 1000);
        assertThat(server.stats(1).keys("idle_locks")).isEmpty();
    }

    @Test
    void a_shared_lock_with_many_holders_is_listed_in_their_order() {
        start(new TestConfig());
        List<String> holders = new ArrayList<>();
        List<LockdTestClient> clients = new ArrayList<>();
        for (int i = 1; i <= 500; i++) {
            LockdTestClient client = server.connect();
            assertThat(client.request("sg s")).isEqualTo(i + " Shared Lock Get Success: s\r");
            holders.add("s: " + client.name());
            clients.add(client);
        }
        LockdTestClient first = clients.getFirst();
        assertThat(first.list("sd")).isEqualTo(holders);
        for (int i = 100; i < 400; i++) {
            clients.get(i).close();
        }
        holders.subList(100, 400).clear();
        TestServer.soon().until(() -> first.counter("connections") == 200);
        assertThat(first.list("sd s")).isEqualTo(holders);
        assertThat(first.request("si s")).isEqualTo("200 Shared Lock Is Locked: s\r");
        assertThat(first.counter("shared_orphans")).isEqualTo(300);
    }
}
