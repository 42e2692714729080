package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

@DisplayName("Counters, values and lists")
@Timeout(120)
class DataIT {
    private static final String LARGEST = Long.toString(Long.MAX_VALUE);
    private static final String SMALLEST = Long.toString(Long.MIN_VALUE);

    private TestServer server = TestServer.start();
    private TestClient client = server.connect();

    private void restart(TestConfig config) {
        server.close();
        server = TestServer.start(config);
        client = server.connect();
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** Sends {@code command key argument}, where the argument is the rest. */
    private void assertAnswer(String request, String response) {
        String[] words = request.split(" ", 3);
        assertThat(request(words[0], words[1], words.length < 3 ? "" : words[2]))
                .as(request)
                .isEqualTo(response);
    }

    private String request(String command, String key, String argument) {
        return client.send(command, key, argument).rawLine();
    }

    // ---- counters

    @Test
    void counters_count_up_and_down() {
        assertAnswer("get n", "ok 0");
        assertThat(server.stats().entries("counters")).isEmpty();
        assertAnswer("incr n 5", "ok 5");
        assertAnswer("incr n +2", "ok 7");
        assertAnswer("incr n  -3 ", "ok 4");
        assertAnswer("decr n 10", "ok -6");
        assertAnswer("decr n -1", "ok -5");
        assertAnswer("get n ignored", "ok -5");
        assertAnswer("cset n 100", "ok");
        assertAnswer("get n", "ok 100");
        assertAnswer("decr other 1", "ok -1");
        assertAnswer("get n", "ok 100");
    }

    @Test
    void counters_refuse_to_overflow_64_bits_and_keep_their_value() {
        assertAnswer("cset n " + LARGEST, "ok");
        assertAnswer("incr n 1", "error");
        assertAnswer("decr n -1", "error");
        assertAnswer("incr n " + LARGEST, "error");
        assertAnswer("get n", "ok " + LARGEST);
        assertAnswer("cset n " + SMALLEST, "ok");
        assertAnswer("decr n 1", "error");
        assertAnswer("incr n -1", "error");
        assertAnswer("get n", "ok " + SMALLEST);
        assertAnswer("decr fresh " + SMALLEST, "error");
        assertAnswer("incr n " + LARGEST, "ok -1");
        for (String number : new String[] {"9223372036854775808", "1.0", "x", "", "1 2", "0x1"}) {
            assertAnswer("incr n " + number, "error");
            assertAnswer("cset n " + number, "error");
        }
        assertAnswer("get n", "ok -1");
    }

    // ---- values

    @Test
    void a_number_after_the_last_space_of_a_value_is_its_ttl() {
        String[][] cases = {
            {"hello 5", "ok hello"},
            {"5", "ok 5"},
            {"5 0", "ok 5"},
            {"hello +7", "ok hello"},
            {"hello -5", "ok hello -5"},
            {"hello ", "ok hello "},
            {"a b 0", "ok a b"},
            {"a  0", "ok a "},
            {" 0", "ok"},
            {"a\t5", "ok a\t5"},
            {"a 99999999999999999999", "ok a 99999999999999999999"},
            {"a 9223372036", "ok a"},
        };
        for (String[] each : cases) {
            assertThat(request("kset", "k", each[0])).as(each[0]).isEqualTo("ok");
            assertAnswer("kget k", each[1]);
        }
        assertThat(request("kset", "k", "")).isEqualTo("error");
        assertThat(request("kset", "k", "x 9223372037")).isEqualTo("error");
        assertAnswer("kget k", "ok a");
    }

    @Test
    void a_deleted_or_missing_value_is_nil_and_deleting_it_succeeds() {
        assertAnswer("kget k", "nil");
        assertAnswer("kdel k", "ok");
        assertAnswer("kset k v 0", "ok");
        assertAnswer("kdel k ignored", "ok");
        assertAnswer("kget k", "nil");
    }

    @Test
    void a_value_is_dropped_when_its_ttl_is_over_and_no_sooner() {
        long begin = System.nanoTime();
        assertAnswer("kset short v 1", "ok");
        assertAnswer("kset unread v 1", "ok");
        assertAnswer("kset replaced v 1", "ok");
        assertAnswer("kset replaced w", "ok");
        assertAnswer("kset extended v 1", "ok");
        assertAnswer("kset extended w 100", "ok");
        TestServer.soon().until(() -> request("kget", "short", "").equals("nil"));
        Duration lived = Duration.ofNanos(System.nanoTime() - begin);
        assertThat(lived).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
        List<String> left = server.awaitStats(stats -> keys(stats).size() == 2).keys("kv_entries");
        assertThat(left).containsExactlyInAnyOrder("replaced", "extended");
        assertAnswer("kget replaced", "ok w");
        assertAnswer("kget extended", "ok w");
    }

    private static List<String> keys(Stats stats) {
        return stats.keys("kv_entries");
    }

    // ---- lists

    @Test
    void lists_push_and_pop_at_both_ends() {
        assertAnswer("llen l", "ok 0");
        assertAnswer("lpop l", "nil");
        assertAnswer("rpop l", "nil");
        assertAnswer("rpush l b", "ok 1");
        assertAnswer("rpush l c d ", "ok 2");
        assertAnswer("lpush l  a", "ok 3");
        assertAnswer("llen l", "ok 3");
        assertAnswer("lrange l 0 -1", "ok [\" a\",\"b\",\"c d \"]");
        assertAnswer("rpop l", "ok c d ");
        assertAnswer("lpop l", "ok  a");
        assertAnswer("rpop l", "ok b");
        assertThat(server.stats().entries("lists")).isEmpty();
        assertAnswer("lpop l", "nil");
        assertThat(request("lpush", "l", "")).isEqualTo("error");
        assertThat(request("rpush", "l", " ")).isEqualTo("ok 1");
        assertThat(request("lpop", "l", "")).isEqualTo("ok  ");
    }

    @Test
    void lists_return_the_requested_range() {
        for (String item : new String[] {"a", "b", "c", "d"}) {
            client.request("rpush", "l", item);
        }
        String[][] cases = {
            {"0 0", "a"}, {"1 2", "bc"}, {"-2 -1", "cd"}, {"0 99", "abcd"}, {"-99 1", "ab"},
            {"2 1", ""}, {"4 9", ""}, {"-9 -5", ""}, {"-1 0", ""}, {"3 3", "d"},
            {SMALLEST + " " + LARGEST, "abcd"}, {" \t1  2 ", "bc"},
        };
        for (String[] each : cases) {
            String items = String.join("\",\"", each[1].split(""));
            assertThat(request("lrange", "l", each[0]))
                    .as(each[0])
                    .isEqualTo(each[1].isEmpty() ? "ok []" : "ok [\"" + items + "\"]");
        }
        for (String wrong : new String[] {"", "1", "1 2 3", "a b", "1 99999999999999999999"}) {
            assertThat(request("lrange", "l", wrong)).as(wrong).isEqualTo("error");
        }
        assertAnswer("lrange missing 0 -1", "ok []");
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void a_range_of_10_000_items_is_complete_and_escaped(IoTransport ioTransport) {
        restart(new TestConfig().transport(ioTransport));
        String[][] kinds = {
            {"plain", "plain"},
            {"\"quoted\\", "\\\"quoted\\\\"},
            {"<a&b>", "\\u003ca\\u0026b\\u003e"},
            {"tab\tone\u0001", "tab\\tone\\u0001"},
            {"\u00ff\u00fe", "\\ufffd\\ufffd"},
            {"\u00e2\u0082\u00ac", "\u20ac"},
            {"\u00e2\u0080\u00a8", "\\u2028"},
            {"x".repeat(240), "x".repeat(240)},
        };
        int count = 10_000;
        StringBuilder requests = new StringBuilder();
        List<String> shown = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String[] kind = kinds[i % kinds.length];
            requests.append("rpush\nlist\n").append(kind[0]).append(i).append('\n');
            shown.add("\"" + kind[1] + i + "\"");
        }
        Thread.startVirtualThread(() -> client.sendRaw(requests.toString()));
        for (int i = 1; i <= count; i++) {
            assertThat(client.line()).isEqualTo("ok " + i);
        }
        int[][] ranges = {{0, -1}, {1, 9998}, {-65, -1}, {100, 163}, {0, -1}, {9000, 20_000}};
        for (int[] range : ranges) {
            client.send("lrange", "list", range[0] + " " + range[1]);
        }
        client.send("ping", "", "").halfClose(); // the responses still arrive
        for (int[] range : ranges) {
            int from = range[0] < 0 ? count + range[0] : range[0];
            int to = Math.min(count, (range[1] < 0 ? count + range[1] : range[1]) + 1);
            String expected = "ok [" + String.join(",", shown.subList(from, to)) + "]";
            assertThat(client.line().equals(expected)).as(range[0] + " " + range[1]).isTrue();
        }
        assertThat(client.rest()).isEqualTo("ok\n");
    }

    // ---- all three

    @Test
    void values_and_lists_keep_bytes_that_are_not_utf_8() {
        String odd = "\u00ff\u0000\u00c3(\u00fe";
        for (String key : new String[] {"k\u00ff", "k\u00fe"}) {
            assertThat(request("kset", key, odd + key + " 0")).isEqualTo("ok");
            assertThat(request("rpush", key, odd + key)).isEqualTo("ok 1");
            assertThat(request("cset", key, "" + key.hashCode())).isEqualTo("ok");
        }
        for (String key : new String[] {"k\u00ff", "k\u00fe"}) {
            assertThat(request("kget", key, "")).isEqualTo("ok " + odd + key);
            assertThat(request("get", key, "")).isEqualTo("ok " + key.hashCode());
            assertThat(request("lpop", key, "")).isEqualTo("ok " + odd + key);
        }
        assertThat(server.stats().keys("kv_entries")).containsExactly("k\ufffd", "k\ufffd");
    }

    @Test
    void data_of_different_kinds_and_a_lock_may_have_the_same_key() {
        client.acquire("name");
        assertThat(client.request("sl", "name", "0 3")).startsWith("ok ");
        assertAnswer("incr name 1", "ok 1");
        assertAnswer("kset name value 0", "ok");
        assertAnswer("rpush name item", "ok 1");
        assertAnswer("kdel name", "ok");
        assertAnswer("get name", "ok 1");
        assertAnswer("lpop name", "ok item");
        assertThat(server.stats().isHeld("name")).isTrue();
    }

    @Test
    void data_stays_when_the_connection_that_created_it_closes() {
        assertAnswer("incr n 1", "ok 1");
        assertAnswer("kset k v 100", "ok");
        assertAnswer("rpush l x", "ok 1");
        client.reset();
        client = server.connect();
        server.awaitConnections(1);
        assertAnswer("get n", "ok 1");
        assertAnswer("kget k", "ok v");
        assertAnswer("lpop l", "ok x");
    }

    @Test
    void counters_values_and_lists_share_one_limit() {
        restart(new TestConfig().maxEntries(3));
        assertAnswer("incr n 1", "ok 1");
        assertAnswer("kset k v 0", "ok");
        assertAnswer("rpush l x", "ok 1");
        for (String request :
                new String[] {
                    "incr m 1", "decr m 1", "cset m 1", "kset j v 0", "lpush i x", "rpush i x"
                }) {
            assertAnswer(request, "error_max_keys");
        }
        assertAnswer("incr n 1", "ok 2");
        assertAnswer("kset k w 0", "ok");
        assertAnswer("lpush l y", "ok 2");
        assertAnswer("get m", "ok 0");
        client.acquire("a-lock-is-none-of-them");
        assertAnswer("lpop l", "ok y");
        assertAnswer("cset m 1", "error_max_keys");
        assertAnswer("lpop l", "ok x");
        assertAnswer("cset m 1", "ok");
        assertAnswer("rpush i x", "error_max_keys");
        assertAnswer("kset k w 1", "ok");
        TestServer.soon().until(() -> request("rpush", "i", "x").equals("ok 1")); // k has expired
        assertAnswer("kset k v 0", "error_max_keys");
    }

    @Test
    void lists_are_no_longer_than_the_limit() {
        restart(new TestConfig().maxListLength(2));
        assertAnswer("rpush l a", "ok 1");
        assertAnswer("lpush l b", "ok 2");
        assertAnswer("rpush l c", "error_list_full");
        assertAnswer("lpush l c", "error_list_full");
        assertAnswer("rpush m a", "ok 1");
        assertAnswer("lrange l 0 -1", "ok [\"b\",\"a\"]");
        assertAnswer("rpop l", "ok a");
        assertAnswer("rpush l c", "ok 2");
    }

    @Test
    void idle_data_is_dropped_if_only_a_cached_value_is_lost() {
        restart(
                new TestConfig()
                        .idle(Duration.ofMillis(100))
                        .collectEvery(Duration.ofMillis(20))
                        .maxEntries(6));
        assertAnswer("incr zero 0", "ok 0");
        assertAnswer("cset one 1", "ok");
        assertAnswer("kset cached v 0", "ok");
        assertAnswer("kset timed v 100", "ok");
        assertAnswer("rpush list x", "ok 1");
        Stats after =
                server.awaitStats(
                        stats ->
                                stats.keys("counters").equals(List.of("one"))
                                        && stats.keys("kv_entries").equals(List.of("timed")));
        assertThat(after.keys("lists")).containsExactly("list");
        assertAnswer("kget cached", "nil");
        for (int i = 0; i < 3; i++) { // the limit is not reached any more
            assertAnswer("cset more" + i + " 1", "ok");
        }
        assertAnswer("cset another 1", "error_max_keys");
        assertAnswer("cset one 0", "ok");
        server.awaitStats(stats -> !stats.keys("counters").contains("one"));
    }

    // ---- many at once

    @Test
    void counters_lose_no_increment_of_many_clients() throws Exception {
        int clients = 6;
        int each = 500;
        together(
                clients,
                (one, number) -> {
                    StringBuilder requests = new StringBuilder();
                    for (int i = 0; i < each; i++) {
                        requests.append("incr\nshared").append(i % 3).append("\n3\n");
                        requests.append("decr\nshared").append(i % 3).append("\n1\n");
                    }
                    one.sendRaw(requests.toString());
                    for (int i = 0; i < 2 * each; i++) {
                        assertThat(one.line()).matches("ok \\d+");
                    }
                });
        long sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += Long.parseLong(request("get", "shared" + i, "").substring(3));
        }
        assertThat(sum).isEqualTo(2L * clients * each);
    }

    @Test
    void every_list_item_is_popped_by_exactly_one_of_many_clients() throws Exception {
        int pairs = 3;
        int each = 600;
        Map<String, Integer> popped = new HashMap<>();
        together(
                2 * pairs,
                (one, number) -> {
                    if (number < pairs) {
                        StringBuilder requests = new StringBuilder();
                        for (int i = 0; i < each; i++) {
                            requests.append("rpush\nqueue\n").append(number).append('-');
                            requests.append(i).append('\n');
                        }
                        one.sendRaw(requests.toString());
                        for (int i = 0; i < each; i++) {
                            assertThat(one.line()).matches("ok \\d+");
                        }
                        return;
                    }
                    int[] last = new int[pairs]; // the items of one client arrive in order
                    for (int got = 0; got < each; ) {
                        String response = one.request("lpop", "queue", "");
                        if (response.equals("nil")) {
                            continue;
                        }
                        got++;
                        String[] item = response.substring(3).split("-", 2);
                        int from = Integer.parseInt(item[0]);
                        int at = Integer.parseInt(item[1]) + 1;
                        assertThat(at).isGreaterThan(last[from]);
                        last[from] = at;
                        synchronized (popped) {
                            popped.merge(response, 1, Integer::sum);
                        }
                    }
                });
        assertThat(popped).hasSize(pairs * each);
        assertThat(popped.values()).containsOnly(1);
        assertAnswer("llen queue", "ok 0");
    }

    private interface Work {
        void run(TestClient client, int number) throws Exception;
    }

    private void together(int clients, Work work) throws Exception {
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                int number = i;
                TestClient one = server.connect();
                all.add(
                        pool.submit(
                                () -> {
                                    work.run(one, number);
                                    return null;
                                }));
            }
            for (Future<?> end : all) {
                end.get();
            }
        }
    }
}
