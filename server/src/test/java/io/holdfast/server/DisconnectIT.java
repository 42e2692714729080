package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A client that disconnects")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
class DisconnectIT {
    private final TestServer server;

    DisconnectIT(IoTransport ioTransport) {
        server = TestServer.start(new TestConfig().transport(ioTransport).maxWaiters(2));
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void the_holds_of_a_closed_connection_are_released() {
        TestClient holder = server.connect();
        holder.acquire("k");
        assertThat(holder.request("sl", "s", "0 3")).startsWith("ok ");
        TestClient next = server.connect();
        next.send("l", "k", "20");
        server.awaitWaiters("k", 1);

        holder.close();

        assertThat(next.line()).startsWith("ok ");
        Stats after = server.awaitStats(stats -> stats.keys("semaphores").isEmpty());
        assertThat(after.keys("idle_semaphores")).containsExactly("s");
    }

    @Test
    void a_client_that_closed_before_its_wait_began_is_not_queued_for_long() {
        server.connect().acquire("k");
        for (String before : new String[] {"stats\n\n\n", "ping\n\n\n".repeat(3000)}) {
            TestClient gone = server.connect();
            gone.sendRaw(before + "l\nk\n60\n").halfClose();
            server.awaitConnections(1);
            server.awaitWaiters("k", 0);
        }
    }

    @Test
    void an_incomplete_request_of_a_closed_connection_is_neither_run_nor_answered() {
        TestClient client = server.connect();
        client.sendRaw("ping\n\n\nl\nk\n0").halfClose();

        assertThat(client.rest()).isEqualTo("ok\n");
        assertThat(server.stats().keys("locks")).isEmpty();
        assertThat(server.stats().keys("idle_locks")).isEmpty();
        server.awaitConnections(0);
    }

    @Test
    void a_waiter_that_disconnects_leaves_the_queue_at_once() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient gone = server.connect();
        gone.send("l", "k", "60");
        server.awaitWaiters("k", 1);
        TestClient next = server.connect();
        next.send("l", "k", "60");
        server.awaitWaiters("k", 2);
        TestClient late = server.connect();
        assertThat(late.request("l", "k", "60")).isEqualTo("error_max_waiters");

        gone.close();

        server.awaitWaiters("k", 1);
        late.send("l", "k", "60");
        server.awaitWaiters("k", 2);
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        String second = TestClient.token(next.line());
        assertThat(next.request("r", "k", second)).isEqualTo("ok");
        assertThat(late.line()).startsWith("ok ");
    }

    @Test
    void a_waiter_whose_connection_is_reset_leaves_the_queue() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient gone = server.connect();
        gone.send("l", "k", "60");
        server.awaitWaiters("k", 1);

        gone.reset();

        server.awaitWaiters("k", 0);
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        assertThat(server.stats().isHeld("k")).isFalse();
    }

    @Test
    void a_waiter_that_half_closes_counts_as_disconnected() {
        TestClient holder = server.connect();
        holder.acquire("k");
        TestClient gone = server.connect();
        gone.send("l", "k", "60");
        server.awaitWaiters("k", 1);

        gone.halfClose();

        gone.assertClosed();
        server.awaitWaiters("k", 0);
    }

    @Test
    void a_waiter_that_half_closes_after_an_enqueue_counts_as_disconnected() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient gone = server.connect();
        assertThat(gone.request("e", "k", "")).isEqualTo("queued");
        gone.send("w", "k", "60").halfClose();

        gone.assertClosed();
        server.awaitWaiters("k", 0);
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        assertThat(server.stats().isHeld("k")).isFalse();
    }

    @Test
    void a_client_that_half_closes_after_complete_requests_gets_their_responses() {
        TestClient client = server.connect();
        client.send("l", "k", "0 9")
                .send("nonsense", "k", "")
                .send("stats", "", "")
                .send("ping", "", "")
                .halfClose();

        assertThat(client.line()).matches("ok [0-9a-f]{32} 9");
        assertThat(client.line()).isEqualTo("error");
        assertThat(Stats.parse(client.line()).isHeld("k")).isTrue();
        assertThat(client.rest()).isEqualTo("ok\n");
        server.awaitStats(stats -> !stats.isHeld("k"));
    }

    @Test
    void a_client_that_half_closes_after_many_requests_gets_all_responses() {
        TestClient client = server.connect();
        client.sendRaw("ping\n\n\n".repeat(20_000)).halfClose();

        assertThat(client.rest()).isEqualTo("ok\n".repeat(20_000));
    }

    @Test
    void the_response_to_an_overlong_line_reaches_a_client_that_half_closed() {
        for (int i = 0; i < 50; i++) {
            try (TestClient client = server.connect()) {
                client.sendRaw("x".repeat(300) + "\n").halfClose();
                assertThat(client.rest()).isEqualTo("error\n");
            }
        }
    }

    @Test
    void a_wait_after_an_enqueue_ends_with_its_connection_and_the_next_is_granted() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient gone = server.connect();
        assertThat(gone.request("e", "k", "")).isEqualTo("queued");
        TestClient next = server.connect();
        assertThat(next.request("e", "k", "")).isEqualTo("queued");

        gone.close();

        server.awaitWaiters("k", 1);
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        assertThat(next.request("w", "k", "20")).startsWith("ok ");
    }

    @Test
    void a_grant_that_was_not_sent_passes_to_the_next_at_once() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient gone = server.connect();
        assertThat(gone.request("e", "k", "")).isEqualTo("queued");
        TestClient next = server.connect();
        next.send("l", "k", "60");
        server.awaitWaiters("k", 2);
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        server.awaitWaiters("k", 1);

        gone.reset();

        assertThat(next.line()).startsWith("ok ");
    }

    @Test
    void input_behind_a_wait_is_kept_and_served_later() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient waiting = server.connect();
        waiting.send("l", "k", "60");
        server.awaitWaiters("k", 1);
        // 585 * 7 + 1 = 4096: the maximum behind a wait, the last request incomplete
        waiting.sendRaw("ping\n\n\n".repeat(585) + "p");
        server.stats();
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");

        assertThat(waiting.line()).startsWith("ok ");
        for (int i = 0; i < 585; i++) {
            assertThat(waiting.line()).isEqualTo("ok");
        }
        waiting.sendRaw("ing\n\n\n");
        assertThat(waiting.line()).isEqualTo("ok");
    }

    @Test
    void more_than_4096_bytes_behind_a_wait_disconnect_the_client() {
        TestClient holder = server.connect();
        holder.acquire("k");
        TestClient waiting = server.connect();
        waiting.send("l", "k", "60");
        server.awaitWaiters("k", 1);

        waiting.sendRaw("ping\n\n\n".repeat(585) + "pi");

        waiting.assertClosed();
        server.awaitWaiters("k", 0);
    }

    @Test
    void more_than_4096_bytes_in_one_write_with_the_wait_disconnect_the_client() {
        TestClient holder = server.connect();
        holder.acquire("k");
        TestClient waiting = server.connect();
        waiting.sendRaw("ping\n\n\n".repeat(20_000)); // now the server reads large chunks
        for (int i = 0; i < 20_000; i++) {
            assertThat(waiting.line()).isEqualTo("ok");
        }

        waiting.sendRaw("l\nk\n60\n" + "ping\n\n\n".repeat(585) + "pi");

        waiting.assertClosed();
        server.awaitWaiters("k", 0);
    }

    /** A full input buffer must not hide the disconnect of the client. */
    @Test
    void a_disconnect_is_noticed_with_4096_bytes_behind_a_wait() {
        TestClient holder = server.connect();
        holder.acquire("k");
        TestClient waiting = server.connect();
        waiting.send("l", "k", "60");
        server.awaitWaiters("k", 1);
        waiting.sendRaw("ping\n\n\n".repeat(585) + "p");

        waiting.close();

        server.awaitWaiters("k", 0);
        server.awaitConnections(1);
    }
}
