package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("With auto-release off")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
class AutoReleaseOffIT {
    private final TestServer server;

    AutoReleaseOffIT(IoTransport ioTransport) {
        server = TestServer.start(new TestConfig().transport(ioTransport).autoRelease(false));
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void a_hold_outlives_its_connection_and_its_token_still_renews_and_releases() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        holder.close();
        server.awaitConnections(0);

        TestClient other = server.connect();
        assertThat(other.request("l", "k", "0")).isEqualTo("timeout");
        assertThat(other.request("n", "k", token + " 30")).isEqualTo("ok 30");
        assertThat(other.request("r", "k", token)).isEqualTo("ok");
        assertThat(other.request("l", "k", "0")).startsWith("ok ");
    }

    @Test
    void a_hold_without_a_connection_ends_with_its_lease() {
        TestClient holder = server.connect();
        holder.acquire("k", 1);
        TestClient next = server.connect();
        next.send("l", "k", "20");

        holder.close();

        assertThat(next.line()).startsWith("ok ");
    }

    @Test
    void waiters_and_enqueue_records_of_a_closed_connection_are_removed() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient waiting = server.connect();
        waiting.send("l", "k", "60");
        TestClient enqueued = server.connect();
        assertThat(enqueued.request("e", "k", "")).isEqualTo("queued");
        server.awaitWaiters("k", 2);

        waiting.close();
        enqueued.reset();

        server.awaitWaiters("k", 0);
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        assertThat(server.stats().isHeld("k")).isFalse();
    }

    @Test
    void a_grant_whose_token_was_not_sent_is_released_with_the_connection() {
        TestClient holder = server.connect();
        String token = holder.acquire("k");
        TestClient enqueued = server.connect();
        assertThat(enqueued.request("e", "k", "60")).isEqualTo("queued");
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        assertThat(server.stats().isHeld("k")).isTrue();

        enqueued.close();

        server.awaitStats(stats -> !stats.isHeld("k"));
    }

    @Test
    void a_token_that_was_sent_stays_valid_after_a_half_close() {
        TestClient other = server.connect();
        for (int i = 0; i < 50; i++) {
            String key = "k" + i;
            try (TestClient brief = server.connect()) {
                brief.send("l", key, "0 60").halfClose();
                String token = TestClient.token(brief.line());
                brief.assertClosed();
                assertThat(other.request("r", key, token)).as(key).isEqualTo("ok");
            }
        }
    }

    @Test
    void tokens_sent_before_an_overlong_line_stay_valid() {
        TestClient other = server.connect();
        for (int i = 0; i < 20; i++) {
            String key = "k" + i;
            try (TestClient brief = server.connect()) {
                brief.sendRaw("l\n" + key + "\n0 60\n" + "x".repeat(300) + "\n");
                String token = TestClient.token(brief.line());
                assertThat(brief.rest()).isEqualTo("error\n");
                assertThat(other.request("r", key, token)).as(key).isEqualTo("ok");
            }
        }
    }
}
