package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;

/** Bugs of the protocol and of connections that other lock servers had. */
@DisplayName("Known bugs of other servers:")
class KnownBugsOfOtherServersIT {
    private TestServer server = TestServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    private void restart(TestConfig config) {
        server.close();
        server = TestServer.start(config);
    }

    @Test
    void after_a_malformed_request_the_connection_still_works() {
        TestClient client = server.connect();
        String token = client.acquire("k");
        for (String[] request :
                new String[][] {
                    {"", "", ""},
                    {"nonsense", "k", "1"},
                    {"L", "k", "1"},
                    {" l", "k", "1"},
                    {"l", "", "1"},
                    {"l", "a b", "1"},
                    {"l", "k", ""},
                    {"l", "k", "x"},
                    {"l", "k", "-1"},
                    {"l", "k", "1 0"},
                    {"r", "k", ""},
                    {"n", "k", "x y z"},
                    {"sl", "k", "1"},
                    {"w", "k", "1 2"},
                }) {
            assertThat(client.request(request[0], request[1], request[2]))
                    .as(String.join("|", request))
                    .isEqualTo("error");
        }
        assertThat(client.request("r", "k", token)).isEqualTo("ok");
    }

    @Test
    void after_an_overlong_line_or_a_timeout_the_connection_is_closed() {
        restart(new TestConfig().readTimeout(Duration.ofMillis(300)));
        TestClient overlong = server.connect();
        overlong.sendIfOpen("x".repeat(257) + "\n");
        assertThat(overlong.rest()).isEqualTo("error\n");
        assertThat(server.connect().rest()).isEqualTo("error\n");
    }

    @Test
    void a_read_failure_during_authentication_is_refused_and_affects_no_other() {
        restart(new TestConfig().secret("open").readTimeout(Duration.ofMillis(1500)));
        TestClient silent = server.connect();
        TestClient half = server.connect();
        half.sendRaw("auth\n\nop").halfClose();
        TestClient gone = server.connect();
        gone.sendRaw("auth\n\n").reset();
        assertThat(half.rest()).isEqualTo("error_auth\n");
        assertThat(silent.rest()).isEqualTo("error_auth\n");
        TestClient client = server.connect();
        assertThat(client.request("auth", "", "open")).isEqualTo("ok");
    }

    @Test
    void timeouts_and_leases_beyond_the_largest_are_refused() {
        TestClient client = server.connect();
        assertThat(client.request("l", "k", "0 9223372036")).endsWith(" 9223372036");
        for (String number :
                new String[] {
                    "9223372037",
                    "18446744074",
                    "9223372036854775807",
                    "9223372036854775808",
                    "99999999999999999999",
                }) {
            assertThat(client.request("l", "other", number)).isEqualTo("error");
            assertThat(client.request("l", "other", "0 " + number)).isEqualTo("error");
            assertThat(client.request("sl", "other", "0 2 " + number)).isEqualTo("error");
            assertThat(client.request("e", "other", number)).isEqualTo("error");
            assertThat(client.request("w", "other", number)).isEqualTo("error");
            assertThat(client.request("n", "k", "0".repeat(32) + " " + number)).isEqualTo("error");
        }
        assertThat(server.stats().keys("idle_locks")).isEmpty();
        assertThat(server.stats().isHeld("k")).isTrue();
    }

    @Test
    void the_longest_wait_and_lease_do_not_end_at_once() {
        TestClient holder = server.connect();
        String token = TestClient.token(holder.request("l", "k", "9223372036 9223372036"));
        TestClient waiting = server.connect();
        waiting.send("l", "k", "9223372036 9223372036");
        server.awaitWaiters("k", 1);
        assertThat(holder.request("n", "k", token + " 9223372036")).isEqualTo("ok 9223372036");
        assertThat(holder.request("r", "k", token)).isEqualTo("ok");
        assertThat(waiting.line()).endsWith(" 9223372036");
    }

    @Test
    void an_enqueue_with_extra_arguments_is_refused_for_locks_and_semaphores() {
        TestClient client = server.connect();
        assertThat(client.request("e", "k", "10 20")).isEqualTo("error");
        assertThat(client.request("e", "k", "10 x")).isEqualTo("error");
        assertThat(client.request("se", "k", "2 10 20")).isEqualTo("error");
        assertThat(server.stats().keys("locks")).isEmpty();
        assertThat(client.request("e", "k", "10")).startsWith("acquired ");
    }

    /** A timeout of 0 ms would close a connection at its first response. */
    @Test
    void a_write_timeout_of_zero_is_no_limit() {
        restart(new TestConfig().writeTimeout(Duration.ZERO));
        TestClient slow = server.connectNarrow();
        slow.sendRaw("stats\n\n\n".repeat(2000));
        TestClient other = server.connect();
        for (int i = 0; i < 100; i++) {
            other.assertServed();
        }
        for (int i = 0; i < 2000; i++) {
            assertThat(slow.line()).startsWith("ok {");
        }
    }
}
