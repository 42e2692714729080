package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Any OutOfMemoryError ends the process, even if it is caught. */
@DisplayName("A server without limits and with little memory")
@Timeout(120)
class SmallHeapIT {
    private static final int BATCH = 500;

    private ServerProcess server;
    private final List<TestClient> clients = new ArrayList<>();

    @AfterEach
    void close() {
        clients.forEach(TestClient::close);
        server.close();
    }

    private void start(Duration idle) throws IOException {
        server =
                ServerProcess.start(
                        List.of(),
                        List.of("-Xmx24m", "-XX:+ExitOnOutOfMemoryError"),
                        IoTransport.AUTO,
                        idle);
    }

    private TestClient connect() {
        TestClient client = TestClient.connect(server.address());
        clients.add(client);
        return client;
    }

    /** Sends the same request for each of many keys, in batches. */
    private static List<String> request(
            TestClient client,
            String command,
            String prefix,
            int from,
            int count,
            String argument) {
        StringBuilder requests = new StringBuilder();
        for (int i = from; i < from + count; i++) {
            requests.append(command).append('\n').append(prefix).append(i).append('\n');
            requests.append(argument).append('\n');
        }
        client.sendRaw(requests.toString());
        List<String> responses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            responses.add(client.line());
        }
        return responses;
    }

    /**
     * Sends requests until one is refused. After the first refusal of a kind a collection may make
     * room for a few more, when the buffers of a batch are gone.
     */
    private static void assertRefusedSoon(IntFunction<String> request, String... refusals) {
        String response = "";
        for (int i = 0; i < 20_000 && !List.of(refusals).contains(response); i++) {
            response = request.apply(i);
        }
        assertThat(response).isIn((Object[]) refusals);
    }

    /** Acquires locks until one is refused; returns the tokens. */
    private static List<String> fill(TestClient client, String prefix) {
        List<String> tokens = new ArrayList<>();
        while (true) {
            for (String response : request(client, "l", prefix, tokens.size(), BATCH, "0 600")) {
                if (response.equals("error_max_locks")) {
                    return tokens;
                }
                tokens.add(TestClient.token(response));
            }
        }
    }

    @Test
    void a_server_with_little_memory_refuses_new_keys_and_serves_all_else() throws Exception {
        start(Duration.ZERO);
        TestClient holder = connect();
        TestClient other = connect();
        List<String> tokens = fill(holder, "key");
        int count = tokens.size();
        assertThat(count).isGreaterThan(10_000);

        assertThat(other.request("l", "another", "0")).isEqualTo("error_max_locks");
        assertThat(other.request("sl", "another", "0 3")).isEqualTo("error_max_locks");
        assertThat(other.request("e", "another", "")).isEqualTo("error_max_locks");
        assertThat(other.request("l", "key0", "60")).isEqualTo("error_max_waiters");
        assertThat(other.request("e", "key0", "")).isEqualTo("error_max_waiters");
        assertThat(other.request("l", "key0", "0")).isEqualTo("timeout");
        for (int i = 0; i < 2000; i++) {
            assertThat(holder.request("n", "key" + i, tokens.get(i) + " 500")).isEqualTo("ok 500");
        }
        assertThat(Stats.parse(other.request("stats", "", "")).keys("locks")).hasSize(count);
        for (int i = 0; i < 2000; i++) {
            assertThat(other.request("r", "key" + i, tokens.get(i))).isEqualTo("ok");
        }
        assertThat(server.isAlive()).isTrue();

        holder.close();

        assertServesNewcomers(other);
        request(connect(), "l", "again", 0, 5000, "0 600").forEach(TestClient::token);
        assertThat(server.isAlive()).isTrue();
    }

    @Test
    void memory_is_left_for_locks_when_values_have_used_their_share() throws Exception {
        start(Duration.ofHours(1));
        TestClient greedy = connect();
        TestClient other = connect();
        String token = other.acquire("held", 600);
        boolean full = false;
        for (int i = 0; !full; i += BATCH) {
            full =
                    request(greedy, "kset", "v", i, BATCH, "x".repeat(200))
                            .contains("error_max_keys");
        }
        assertRefusedSoon(i -> other.request("kset", "new" + i, "x".repeat(200)), "error_max_keys");
        assertThat(other.request("kset", "v0", "y".repeat(200)))
                .as("one that exists")
                .isEqualTo("ok");
        assertThat(other.request("n", "held", token + " 500")).isEqualTo("ok 500");
        assertThat(other.request("r", "held", token)).isEqualTo("ok");
        request(other, "l", "name", 0, 2 * BATCH, "0 600").forEach(TestClient::token);
        connect().acquire("held", 600);
        assertThat(server.isAlive()).isTrue();
    }

    @Test
    void existing_keys_are_granted_when_no_memory_for_new_keys_is_left() throws Exception {
        start(Duration.ofHours(1));
        TestClient greedy = connect();
        TestClient other = connect();
        List<String> idle = request(other, "l", "idle", 0, BATCH, "0 600");
        for (int i = 0; i < BATCH; i++) {
            String token = TestClient.token(idle.get(i));
            assertThat(other.request("r", "idle" + i, token)).isEqualTo("ok");
        }
        fill(greedy, "key");
        for (int i = 0; !other.request("l", "new" + i, "0 600").equals("error_max_locks"); i++) {
            assertThat(i).isLessThan(10_000);
        }
        request(other, "l", "idle", 0, BATCH, "0 600").forEach(TestClient::token);
    }

    @Test
    void a_server_with_little_memory_refuses_new_waiters() throws Exception {
        start(Duration.ZERO);
        TestClient asking = connect();
        TestClient holder = connect();
        int keys = 10_000;
        String token = holder.acquire("first", 600);
        for (int i = 0; i < keys; i += BATCH) {
            request(holder, "l", "key", i, BATCH, "0 600").forEach(TestClient::token);
        }
        List<TestClient> crowd = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            crowd.add(connect());
        }
        int queued = 0;
        boolean refused = false;
        for (TestClient client : crowd) {
            for (int i = 0; i < keys && !refused; i += BATCH) {
                for (String response : request(client, "e", "key", i, BATCH, "")) {
                    refused |= response.equals("error_max_waiters");
                    assertThat(response).isIn("queued", "error_max_waiters");
                    queued += refused ? 0 : 1;
                }
            }
        }
        assertThat(refused).isTrue();
        assertThat(queued).isGreaterThan(keys);
        assertThat(holder.request("r", "first", token)).isEqualTo("ok");
        assertThat(asking.request("l", "key1", "0")).isEqualTo("timeout");
        assertThat(server.isAlive()).isTrue();
    }

    /** Idle keys use memory too, and acquiring them uses more. */
    @Test
    void a_server_with_little_memory_survives_acquiring_all_idle_keys_at_once() throws Exception {
        start(Duration.ofHours(1));
        TestClient other = connect();
        TestClient next = connect();
        int known = 0;
        boolean full = false;
        while (!full) {
            TestClient passing = next;
            next = connect(); // while a connection is still accepted
            for (int i = 0; i < 10_000 && !full; i += BATCH) {
                for (String response : request(passing, "l", "key", known, BATCH, "0 600")) {
                    full |= response.equals("error_max_locks");
                }
                known += BATCH;
            }
            passing.close(); // leaves its keys idle
        }
        TestServer.soon()
                .pollInterval(Duration.ofMillis(200))
                .until(() -> Stats.parse(other.request("stats", "", "")).connections() == 2);
        assertThat(known).isGreaterThan(10_000);

        int taken = 0;
        for (int i = 0; i < known; i += BATCH) {
            for (String response : request(next, "l", "key", i, BATCH, "0 600")) {
                if (response.equals("error_max_locks")) {
                    continue;
                }
                TestClient.token(response);
                taken++;
            }
        }
        assertThat(taken).isGreaterThan(1000);
        assertThat(server.isAlive()).isTrue();
        other.assertServed();
    }

    @Test
    void a_server_with_little_memory_refuses_new_connections() throws Exception {
        start(Duration.ZERO);
        TestClient first = connect();
        String token = first.acquire("k", 600);
        int served = 0;
        for (boolean full = false; !full; served++) {
            assertThat(served).isLessThan(15_000);
            full = !isServed(connect());
        }
        assertThat(served).isGreaterThan(500);
        assertThat(first.request("r", "k", token)).isEqualTo("ok");
        assertThat(server.isAlive()).isTrue();
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
    void a_server_with_little_memory_refuses_new_slots_of_a_semaphore() throws Exception {
        start(Duration.ZERO);
        TestClient holder = connect();
        TestClient other = connect();
        int slots = 0;
        String request = "sl\nslots\n0 1000000000 600\n".repeat(BATCH);
        for (boolean full = false; !full; ) {
            holder.sendRaw(request);
            for (int i = 0; i < BATCH; i++) {
                String response = holder.line();
                if (response.equals("error_max_locks")) {
                    full = true;
                } else {
                    TestClient.token(response);
                    slots++;
                }
            }
        }
        assertThat(slots).isGreaterThan(10_000);
        other.assertServed();
        assertThat(server.isAlive()).isTrue();
    }

    @Test
    void a_server_with_little_memory_survives_listeners_that_do_not_read() throws Exception {
        start(Duration.ZERO);
        TestClient emitter = connect();
        int count = 20;
        for (int i = 0; i < count; i++) {
            TestClient slow = TestClient.connect(server.address(), 4096);
            clients.add(slow.listen("own." + i).listen("all"));
        }
        String large = "x".repeat(60_000);
        String small = "x".repeat(500);
        for (int left = count, round = 0; left > 0; round++) {
            assertThat(round).isLessThan(300);
            left = 0;
            for (int i = 0; i < count; i++) {
                String response = emitter.request("signal", "own." + i, large);
                left += Integer.parseInt(response.substring(3));
            }
            emitter.request("signal", "all", small);
        }
        assertThat(server.isAlive()).isTrue();
        TestClient reading = connect().listen("all");
        TestServer.soon()
                .until(
                        () -> emitter.request("signal", "all", large),
                        response -> response.equals("ok 1"));
        assertThat(reading.line()).hasSize(60_008);
        reading.assertServed();
    }

    @Test
    void a_server_with_little_memory_refuses_new_subscriptions_and_data() throws Exception {
        start(Duration.ZERO);
        TestClient client = connect();
        TestClient other = connect();
        List<String> made = new ArrayList<>();
        for (String[] kind :
                new String[][] {
                    {"listen", "", "error"},
                    {"cset", "1", "error_max_keys"},
                    {"kset", "v".repeat(200) + " 0", "error_max_keys"},
                    {"rpush", "item", "error_max_keys"},
                }) {
            boolean full = false;
            for (int i = 0; !full; i += BATCH) {
                for (String response : request(client, kind[0], "key.", i, BATCH, kind[1])) {
                    full |= response.equals(kind[2]);
                    assertThat(response).as(kind[0]).isIn("ok", "ok 1", kind[2]);
                }
            }
            made.add(kind[0]);
            assertThat(server.isAlive()).as("after " + made).isTrue();
        }
        assertRefusedSoon(
                _ -> other.request("rpush", "key.0", "item"), "error_max_keys", "error_list_full");
        assertThat(other.request("signal", "key.0", "x")).isEqualTo("ok 1");
        assertThat(client.line()).isEqualTo("sig key.0 x");
        assertThat(other.request("get", "key.0", "")).startsWith("ok ");

        client.close(); // its subscriptions use most of the memory

        TestServer.soon()
                .until(
                        () -> other.request("rpush", "new", "item"),
                        response -> response.equals("ok 1"));
        other.listen("new");
        assertThat(server.isAlive()).isTrue();
    }

    /** A response with a list takes memory until it is written, and none after that. */
    @Test
    void a_server_with_little_memory_returns_long_lists_repeatedly() throws Exception {
        start(Duration.ZERO);
        TestClient client = connect();
        int length = 10_000;
        String request = "rpush\nlist\nan item\n".repeat(BATCH);
        for (int had = 0; had < length; had += BATCH) {
            client.sendRaw(request);
            for (int i = 1; i <= BATCH; i++) {
                assertThat(client.line()).isEqualTo("ok " + (had + i));
            }
        }
        for (int i = 0; i < 10; i++) { // does not wait for the responses
            connect().sendRaw("lrange\nlist\n0 -1\n".repeat(30)).close();
        }
        String items = items(length);
        for (int i = 0; i < 60; i++) {
            assertThat(client.request("lrange", "list", "0 -1").equals(items)).isTrue();
        }
        assertThat(server.isAlive()).isTrue();
    }

    private static String items(int count) {
        return "ok [" + "\"an item\",".repeat(count - 1) + "\"an item\"]";
    }

    /** Succeeds eventually, when the garbage collector has run. */
    private void assertServesNewcomers(TestClient known) {
        TestServer.soon()
                .until(
                        () -> known.request("l", "newcomer", "0"),
                        response -> response.startsWith("ok "));
        connect().assertServed();
    }
}
