package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

@DisplayName("The stats")
@Timeout(120)
class StatsIT {
    private TestServer server =
            TestServer.start(
                    new TestConfig().idle(Duration.ZERO).collectEvery(Duration.ofMillis(20)));

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void empty_stats_have_all_their_members_in_order() {
        String line = server.connect().request("stats", "ignored", "ignored too");
        assertThat(line)
                .isEqualTo(
                        "ok {\"connections\":1,\"locks\":[],\"semaphores\":[],\"idle_locks\":[],"
                                + "\"idle_semaphores\":[],\"counters\":[],\"kv_entries\":[],"
                                + "\"lists\":[],\"signal_channels\":[]}");
    }

    @Test
    void stats_show_holder_lease_and_waiters() {
        TestClient first = server.connect();
        first.acquire("k", 100);
        TestClient second = server.connect();
        assertThat(second.request("e", "k", "")).isEqualTo("queued");
        assertThat(second.request("sl", "s", "0 4")).startsWith("ok ");
        Stats stats = Stats.parse(first.request("stats", "", ""));
        assertThat(stats.connections()).isEqualTo(2);
        var lock = stats.entries("locks").getFirst();
        assertThat(lock.keySet())
                .containsExactly("key", "owner_conn_id", "lease_expires_in_s", "waiters");
        assertThat(Stats.number(lock, "owner_conn_id")).isEqualTo(1);
        assertThat((Double) lock.get("lease_expires_in_s")).isBetween(60.0, 100.0);
        assertThat(Stats.number(lock, "waiters")).isEqualTo(1);
        var semaphore = stats.entries("semaphores").getFirst();
        assertThat(semaphore.keySet()).containsExactly("key", "limit", "holders", "waiters");
        assertThat(Stats.number(semaphore, "limit")).isEqualTo(4);
        assertThat(Stats.number(semaphore, "holders")).isEqualTo(1);
    }

    @Test
    void stats_show_data_and_listeners() {
        server.close();
        server = TestServer.start();
        TestClient client = server.connect();
        client.acquire("k");
        client.request("sl", "s", "0 2");
        client.request("r", "idle", client.acquire("idle"));
        client.request("sr", "slot", TestClient.token(client.request("sl", "slot", "0 2")));
        client.request("decr", "down", "7");
        client.request("kset", "timed", "four 100");
        client.request("kset", "kept", "\u00ff\u00ff 0");
        client.request("rpush", "list", "a");
        client.request("rpush", "list", "b");
        client.listen("alerts.>").listen("alerts.>", "on \"duty\"").listen("x", "g");
        server.connect().listen("x", "g");

        String line = client.request("stats", "", "");

        Stats stats = Stats.parse(line);
        assertThat(stats.members().keySet())
                .containsExactly(
                        "connections",
                        "locks",
                        "semaphores",
                        "idle_locks",
                        "idle_semaphores",
                        "counters",
                        "kv_entries",
                        "lists",
                        "signal_channels");
        assertThat(stats.connections()).isEqualTo(2);
        assertThat(stats.keys("locks")).containsExactly("k");
        assertThat(stats.keys("semaphores")).containsExactly("s");
        assertThat(stats.keys("idle_locks")).containsExactly("idle");
        assertThat(stats.keys("idle_semaphores")).containsExactly("slot");

        var counter = stats.entries("counters").getFirst();
        assertThat(counter.keySet()).containsExactly("key", "value", "idle_s");
        assertThat(counter.get("key")).isEqualTo("down");
        assertThat(Stats.number(counter, "value")).isEqualTo(-7);
        assertThat((Double) counter.get("idle_s")).isBetween(0.0, 30.0);

        for (var value : stats.entries("kv_entries")) {
            assertThat(value.keySet()).containsExactly("key", "value_len", "ttl", "idle_s");
            boolean timed = value.get("key").equals("timed");
            assertThat(Stats.number(value, "value_len")).isEqualTo(timed ? 4 : 2);
            assertThat((Double) value.get("ttl")).isBetween(timed ? 60.0 : 0, timed ? 100.0 : 0);
        }
        assertThat(stats.keys("kv_entries")).containsExactlyInAnyOrder("timed", "kept");

        var list = stats.entries("lists").getFirst();
        assertThat(list.keySet()).containsExactly("key", "len", "idle_s");
        assertThat(Stats.number(list, "len")).isEqualTo(2);

        assertThat(stats.entries("signal_channels"))
                .containsExactlyInAnyOrder(
                        Map.of("pattern", "alerts.>", "listeners", 1.0),
                        Map.of("pattern", "alerts.>", "group", "on \"duty\"", "listeners", 1.0),
                        Map.of("pattern", "x", "group", "g", "listeners", 2.0));
        assertThat(line)
                .contains("{\"pattern\":\"alerts.\\u003e\",\"listeners\":1}")
                .contains("\"group\":\"on \\\"duty\\\"\"");
    }

    @Test
    void stats_list_thousands_of_each_kind_once() {
        TestClient client = server.connect();
        int count = 3000;
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < count; i++) {
            requests.append("cset\nc").append(i).append("\n1\n");
            requests.append("kset\nv").append(i).append("\nx 100\n");
            requests.append("rpush\nl").append(i).append("\nx\n");
            requests.append("listen\np").append(i).append(".*\n\n");
        }
        Thread.startVirtualThread(() -> client.sendRaw(requests.toString()));
        for (int i = 0; i < 4 * count; i++) {
            assertThat(client.line()).startsWith("ok");
        }
        Stats stats = server.stats();
        for (String array : List.of("counters", "kv_entries", "lists")) {
            assertThat(stats.keys(array)).hasSize(count).doesNotHaveDuplicates();
        }
        assertThat(stats.entries("signal_channels")).hasSize(count).doesNotHaveDuplicates();
    }

    @Test
    void stats_list_20_000_keys_each_once() {
        TestClient holder = server.connect();
        List<String> keys = take(holder, "key", 20_000);
        assertThat(sorted(server.stats().keys("locks"))).isEqualTo(sorted(keys));
    }

    @Test
    void stats_list_a_key_held_throughout_exactly_once_while_others_change() throws Exception {
        TestClient holder = server.connect();
        List<String> steady = take(holder, "steady", 1500);
        AtomicBoolean stopped = new AtomicBoolean();
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> churn = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                String prefix = "passing" + i + "-";
                TestClient client = server.connect();
                churn.add(pool.submit(() -> comeAndGo(client, prefix, stopped)));
            }
            TestClient asking = server.connect();
            try {
                for (int i = 0; i < 30; i++) {
                    Stats stats = Stats.parse(asking.request("stats", "", ""));
                    assertThat(sorted(steadyOf(stats.keys("locks")))).isEqualTo(sorted(steady));
                    assertThat(steadyOf(stats.keys("idle_locks"))).isEmpty();
                }
            } finally {
                stopped.set(true);
            }
            for (Future<?> end : churn) {
                end.get();
            }
        }
    }

    private static List<String> steadyOf(List<String> keys) {
        return keys.stream().filter(key -> key.startsWith("steady")).toList();
    }

    private static List<String> sorted(List<String> keys) {
        return keys.stream().sorted().toList();
    }

    private static void comeAndGo(TestClient client, String prefix, AtomicBoolean stopped) {
        for (int i = 0; !stopped.get(); i++) {
            StringBuilder requests = new StringBuilder();
            for (int j = 0; j < 50; j++) {
                requests.append("l\n").append(prefix).append(i * 50 + j).append("\n0\n");
            }
            client.sendRaw(requests.toString());
            requests.setLength(0);
            for (int j = 0; j < 50; j++) {
                requests.append("r\n").append(prefix).append(i * 50 + j).append('\n');
                requests.append(TestClient.token(client.line())).append('\n');
            }
            client.sendRaw(requests.toString());
            for (int j = 0; j < 50; j++) {
                assertThat(client.line()).isEqualTo("ok");
            }
        }
    }

    private static List<String> take(TestClient client, String prefix, int count) {
        List<String> keys = new ArrayList<>();
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < count; i++) {
            keys.add(prefix + i);
            requests.append("l\n").append(prefix).append(i).append("\n0 600\n");
        }
        Thread.startVirtualThread(() -> client.sendRaw(requests.toString()));
        for (int i = 0; i < count; i++) {
            assertThat(client.line()).startsWith("ok ");
        }
        return keys;
    }
}
