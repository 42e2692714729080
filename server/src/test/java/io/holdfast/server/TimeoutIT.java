package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

@DisplayName("The read timeout")
class TimeoutIT {
    private final ScheduledExecutorService pace = Executors.newScheduledThreadPool(1);
    private TestServer server;

    @AfterEach
    void close() {
        pace.shutdownNow();
        server.close();
    }

    private void start(TestConfig config, int readTimeoutMillis) {
        server = TestServer.start(config.readTimeout(Duration.ofMillis(readTimeoutMillis)));
    }

    @Test
    void the_read_timeout_ends_an_idle_connection_with_an_error() {
        start(new TestConfig(), 1000);
        TestClient silent = server.connect();
        TestClient client = server.connect();
        client.assertServed();
        assertThat(silent.rest()).isEqualTo("error\n");
        assertThat(client.rest()).isEqualTo("error\n");
    }

    @Test
    void the_read_timeout_ends_a_connection_in_the_middle_of_a_line_or_request() {
        start(new TestConfig(), 200);
        for (String part : new String[] {"l", "l\n", "l\nk\n", "l\nk\n0", "x".repeat(1000)}) {
            TestClient client = server.connect();
            client.sendIfOpen(part);
            assertThat(client.rest()).as(part).isEqualTo("error\n");
        }
        assertThat(server.stats().keys("idle_locks")).isEmpty();
    }

    @Test
    void the_read_timeout_releases_the_locks_of_an_idle_holder() {
        start(new TestConfig(), 1000);
        TestClient holder = server.connect();
        holder.acquire("k");
        TestClient next = server.connect();
        next.send("l", "k", "20");
        assertThat(next.line()).startsWith("ok ");
        assertThat(holder.rest()).isEqualTo("error\n");
    }

    @Test
    void the_read_timeout_is_not_extended_by_dripping_bytes() {
        start(new TestConfig(), 500);
        TestClient client = server.connect();
        drip(client, "x".repeat(1000), 50);
        assertThat(client.rest()).isEqualTo("error\n");
    }

    @Test
    void the_read_timeout_is_not_extended_by_dripping_an_overlong_line() {
        start(new TestConfig(), 500);
        TestClient client = server.connect();
        client.sendIfOpen("x".repeat(300));
        drip(client, "x".repeat(1000), 50);
        assertThat(client.rest()).isEqualTo("error\n");
    }

    @Test
    void the_read_timeout_starts_again_for_each_line() {
        start(new TestConfig(), 2000);
        TestClient client = server.connect();
        client.assertServed();
        pace.schedule(() -> client.sendIfOpen("l\n"), 900, TimeUnit.MILLISECONDS);
        pace.schedule(() -> client.sendIfOpen("k\n"), 1800, TimeUnit.MILLISECONDS);
        pace.schedule(() -> client.sendIfOpen("0 9\n"), 2700, TimeUnit.MILLISECONDS);
        assertThat(client.line()).matches("ok [0-9a-f]{32} 9");
    }

    @Test
    void the_read_timeout_does_not_run_while_a_request_waits() {
        start(new TestConfig().autoRelease(false), 1000);
        server.connect().acquire("k");
        TestClient waiting = server.connect();
        assertThat(waiting.request("l", "k", "2")).isEqualTo("timeout");
        assertThat(waiting.rest()).isEqualTo("error\n"); // the timeout runs again after the wait
    }

    @Test
    void the_read_timeout_may_be_the_longest_duration() {
        server =
                TestServer.start(
                        new TestConfig()
                                .readTimeout(Duration.ofSeconds(9223372036L))
                                .writeTimeout(Duration.ofSeconds(9223372036L))
                                .shutdownTimeout(Duration.ofSeconds(9223372036L)));
        TestClient client = server.connect();
        client.acquire("k");
        server.connect().assertServed();
        client.assertServed();
    }

    /** Sends one byte at a time until the connection is closed. */
    private void drip(TestClient client, String text, int intervalMillis) {
        int[] at = {0};
        pace.scheduleAtFixedRate(
                () -> client.sendIfOpen(text.substring(at[0], ++at[0])),
                0,
                intervalMillis,
                TimeUnit.MILLISECONDS);
    }
}
