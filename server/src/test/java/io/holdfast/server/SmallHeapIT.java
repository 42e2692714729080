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

/** Any OutOfMemoryError, wherever it is thrown and whoever catches it, ends the process. */
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
                        List.of("-Xmx22m", "-XX:+ExitOnOutOfMemoryError"),
                        Transport.AUTO,
                        idle);
    }

    private TestClient connect() {
        TestClient client = TestClient.connect(server.address());
        clients.add(client);
        return client;
    }

    /** Sends the same kind of request for one key after the other, many at a time. */
    private static List<String> ask(
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
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(client.line());
        }
        return answers;
    }

    /** Takes locks until there is no room for another; returns the tokens. */
    private static List<String> fill(TestClient client, String prefix) {
        List<String> tokens = new ArrayList<>();
        while (true) {
            for (String answer : ask(client, "l", prefix, tokens.size(), BATCH, "0 600")) {
                if (answer.equals("error_max_locks")) {
                    return tokens;
                }
                tokens.add(TestClient.token(answer));
            }
        }
    }

    @Test
    void refuses_new_keys_when_memory_ends_and_serves_all_else() throws Exception {
        start(Duration.ZERO);
        TestClient holder = connect();
        TestClient other = connect();
        List<String> tokens = fill(holder, "key");
        int count = tokens.size();
        assertThat(count).isGreaterThan(10_000);

        assertThat(other.ask("l", "another", "0")).isEqualTo("error_max_locks");
        assertThat(other.ask("sl", "another", "0 3")).isEqualTo("error_max_locks");
        assertThat(other.ask("e", "another", "")).isEqualTo("error_max_locks");
        assertThat(other.ask("l", "key0", "60")).isEqualTo("error_max_waiters");
        assertThat(other.ask("e", "key0", "")).isEqualTo("error_max_waiters");
        assertThat(other.ask("l", "key0", "0")).isEqualTo("timeout");
        for (int i = 0; i < 2000; i++) {
            assertThat(holder.ask("n", "key" + i, tokens.get(i) + " 500")).isEqualTo("ok 500");
        }
        assertThat(Stats.parse(other.ask("stats", "", "")).keys("locks")).hasSize(count);
        for (int i = 0; i < 2000; i++) {
            assertThat(other.ask("r", "key" + i, tokens.get(i))).isEqualTo("ok");
        }
        assertThat(server.isAlive()).isTrue();

        holder.close();

        assertServesNewcomers(other);
        ask(connect(), "l", "again", 0, 5000, "0 600").forEach(TestClient::token);
        assertThat(server.isAlive()).isTrue();
    }

    @Test
    void refuses_new_waiters_when_memory_ends() throws Exception {
        start(Duration.ZERO);
        TestClient asking = connect();
        TestClient holder = connect();
        int keys = 10_000;
        String token = holder.acquire("first", 600);
        for (int i = 0; i < keys; i += BATCH) {
            ask(holder, "l", "key", i, BATCH, "0 600").forEach(TestClient::token);
        }
        List<TestClient> crowd = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            crowd.add(connect());
        }
        int queued = 0;
        boolean refused = false;
        for (TestClient client : crowd) {
            for (int i = 0; i < keys && !refused; i += BATCH) {
                for (String answer : ask(client, "e", "key", i, BATCH, "")) {
                    refused |= answer.equals("error_max_waiters");
                    assertThat(answer).isIn("queued", "error_max_waiters");
                    queued += refused ? 0 : 1;
                }
            }
        }
        assertThat(refused).isTrue();
        assertThat(queued).isGreaterThan(keys);
        assertThat(holder.ask("r", "first", token)).isEqualTo("ok");
        assertThat(asking.ask("l", "key1", "0")).isEqualTo("timeout");
        assertThat(server.isAlive()).isTrue();
    }

    /** Names that nobody uses take memory too, and taking them takes more. */
    @Test
    void survives_that_all_idle_keys_are_taken_at_once() throws Exception {
        start(Duration.ofHours(1));
        TestClient other = connect();
        TestClient next = connect();
        int known = 0;
        boolean full = false;
        while (!full) {
            TestClient passing = next;
            next = connect(); // while there is room for one
            for (int i = 0; i < 10_000 && !full; i += BATCH) {
                for (String answer : ask(passing, "l", "key", known, BATCH, "0 600")) {
                    full |= answer.equals("error_max_locks");
                }
                known += BATCH;
            }
            passing.close(); // leaves its keys idle
        }
        TestServer.soon()
                .pollInterval(Duration.ofMillis(200))
                .until(() -> Stats.parse(other.ask("stats", "", "")).connections() == 2);
        assertThat(known).isGreaterThan(10_000);

        int taken = 0;
        for (int i = 0; i < known; i += BATCH) {
            for (String answer : ask(next, "l", "key", i, BATCH, "0 600")) {
                if (answer.equals("error_max_locks")) {
                    continue;
                }
                TestClient.token(answer);
                taken++;
            }
        }
        assertThat(taken).isGreaterThan(1000);
        assertThat(server.isAlive()).isTrue();
        other.assertServed();
    }

    @Test
    void refuses_new_connections_when_memory_ends() throws Exception {
        start(Duration.ZERO);
        TestClient first = connect();
        String token = first.acquire("k", 600);
        int served = 0;
        for (boolean full = false; !full; served++) {
            assertThat(served).isLessThan(15_000);
            full = !isServed(connect());
        }
        assertThat(served).isGreaterThan(500);
        assertThat(first.ask("r", "k", token)).isEqualTo("ok");
        assertThat(server.isAlive()).isTrue();
    }

    private static boolean isServed(TestClient client) {
        try {
            client.sendRaw("ping\n\n\n");
            return client.rest(3).equals("ok\n");
        } catch (UncheckedIOException e) {
            return false; // closed before or while it was asked
        }
    }

    @Test
    void refuses_new_slots_of_a_semaphore_when_memory_ends() throws Exception {
        start(Duration.ZERO);
        TestClient holder = connect();
        TestClient other = connect();
        int slots = 0;
        String request = "sl\nslots\n0 1000000000 600\n".repeat(BATCH);
        for (boolean full = false; !full; ) {
            holder.sendRaw(request);
            for (int i = 0; i < BATCH; i++) {
                String answer = holder.line();
                if (answer.equals("error_max_locks")) {
                    full = true;
                } else {
                    TestClient.token(answer);
                    slots++;
                }
            }
        }
        assertThat(slots).isGreaterThan(10_000);
        other.assertServed();
        assertThat(server.isAlive()).isTrue();
    }

    /** In time, when the collector has run. */
    private void assertServesNewcomers(TestClient known) {
        TestServer.soon()
                .until(() -> known.ask("l", "newcomer", "0"), answer -> answer.startsWith("ok "));
        connect().assertServed();
    }
}
