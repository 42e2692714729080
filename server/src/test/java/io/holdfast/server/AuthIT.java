package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("Authentication over dflockd")
class AuthIT {
    private static final String SECRET = "s3cret words";

    private TestServer server = TestServer.start(new TestConfig().secret(SECRET));

    @AfterEach
    void close() {
        server.close();
    }

    private TestClient authenticated() {
        TestClient client = server.connect();
        assertThat(client.request("auth", "", SECRET)).isEqualTo("ok");
        return client;
    }

    @Test
    void the_right_secret_authenticates_the_connection() {
        TestClient client = authenticated();
        client.acquire("k");
        client.assertServed();
    }

    @Test
    void whitespace_around_the_secret_and_the_key_line_are_ignored() {
        TestClient client = server.connect();
        assertThat(client.request("auth", "any thing", " \t" + SECRET + "  ")).isEqualTo("ok");
        client.assertServed();
    }

    @Test
    void requests_pipelined_behind_the_secret_are_served() {
        TestClient client = server.connect();
        client.sendRaw("auth\n\n" + SECRET + "\nl\nk\n0 7\nping\n\n\n");
        assertThat(client.line()).isEqualTo("ok");
        assertThat(client.line()).endsWith(" 7");
        assertThat(client.line()).isEqualTo("ok");
    }

    @Test
    void a_second_auth_is_an_error_and_changes_nothing() {
        TestClient client = authenticated();
        String token = client.acquire("k");
        assertThat(client.request("auth", "", SECRET)).isEqualTo("error");
        assertThat(client.request("auth", "", "wrong")).isEqualTo("error");
        assertThat(client.request("r", "k", token)).isEqualTo("ok");
    }

    /** Each of these takes the path of a wrong secret, including the comparison. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "auth\n\nwrong\n",
                "auth\n\n\n",
                "auth\n\ns3cret word\n",
                "auth\n\ns3cret words!\n",
                "auth\n\nS3CRET WORDS\n",
                "AUTH\n\ns3cret words\n",
                "auth \n\ns3cret words\n",
                "l\nk\n0\n",
                "ping\n\n\n",
                "stats\n\n\n",
                "\n\n\n",
                "nonsense\nk\nx\n",
                "l\nbad key\n0\n",
            })
    void any_other_first_request_is_refused_and_closes(String request) {
        TestClient client = server.connect();
        client.sendRaw(request + "l\nk\n0\n");
        assertThat(client.rest()).isEqualTo("error_auth\n");
        assertNothingHeld();
    }

    @Test
    void an_overlong_line_before_authentication_is_refused_once_it_ends() {
        for (String line : new String[] {"x".repeat(257), "x".repeat(100_000)}) {
            TestClient client = server.connect();
            client.sendRaw(line + "\nauth\n\n" + SECRET + "\n");
            assertThat(client.rest()).isEqualTo("error_auth\n");
        }
    }

    @Test
    void the_secret_may_be_long_up_to_a_limit() {
        server.close();
        String secret = "x".repeat(65_536);
        server = TestServer.start(new TestConfig().secret(secret));
        TestClient right = server.connect();
        assertThat(right.request("auth", "", secret)).isEqualTo("ok");
        TestClient over = server.connect();
        over.send("auth", "", secret + "x");
        assertThat(over.rest()).isEqualTo("error_auth\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"auth\n\ns3cret words", "auth\n", "a", "auth\n\n"})
    void a_stream_that_ends_within_the_auth_request_is_refused(String part) {
        TestClient client = server.connect();
        client.sendRaw(part).halfClose();
        assertThat(client.rest()).isEqualTo("error_auth\n");
    }

    @Test
    void a_stream_that_ends_within_an_overlong_auth_line_is_refused() {
        TestClient client = server.connect();
        client.sendRaw("x".repeat(300)).halfClose();
        assertThat(client.rest()).isEqualTo("error_auth\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "auth\n\n", "auth\n\ns3cret words", "x"})
    void a_read_timeout_within_the_auth_request_is_refused(String part) {
        server.close();
        server =
                TestServer.start(
                        new TestConfig().secret(SECRET).readTimeout(Duration.ofMillis(200)));
        TestClient client = server.connect();
        client.sendIfOpen(part);
        assertThat(client.rest()).isEqualTo("error_auth\n");
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.server.TestServer#transports")
    void an_auth_error_reaches_a_client_that_half_closed_or_continues_sending(
            IoTransport ioTransport) {
        server.close();
        server = TestServer.start(new TestConfig().secret(SECRET).transport(ioTransport));
        for (int i = 0; i < 5; i++) {
            TestClient ending = server.connect();
            ending.send("auth", "", "wrong").halfClose();
            assertThat(ending.rest()).isEqualTo("error_auth\n");
            TestClient sending = server.connect();
            sending.sendRaw("auth\n\nwrong\n" + "ping\n\n\n".repeat(100));
            assertThat(sending.line()).isEqualTo("error_auth");
        }
    }

    @Test
    void an_auth_error_precedes_the_close_by_a_pause() {
        TestClient client = server.connect();
        long sentNanos = System.nanoTime();
        client.send("auth", "", "wrong");
        assertThat(client.line()).isEqualTo("error_auth");
        client.assertClosed();
        // The pause is 100 ms: the end may come late, but never earlier.
        assertThat(System.nanoTime() - sentNanos).isGreaterThan(Duration.ofMillis(90).toNanos());
    }

    @Test
    void a_connection_that_closes_before_authenticating_affects_no_other() {
        for (int i = 0; i < 20; i++) {
            server.connect().close();
            server.connect().reset();
        }
        authenticated().assertServed();
    }

    @Test
    void a_connection_with_a_wrong_secret_leaves_nothing_behind() {
        for (int i = 0; i < 5; i++) {
            TestClient client = server.connect();
            client.send("auth", "", "wrong");
            assertThat(client.rest()).isEqualTo("error_auth\n");
        }
        TestClient asking = authenticated();
        assertThat(Stats.parse(asking.request("stats", "", "")).connections()).isEqualTo(1);
    }

    @Test
    void without_a_secret_auth_is_an_error_and_the_connection_stays() {
        server.close();
        server = TestServer.start();
        TestClient client = server.connect();
        assertThat(client.request("auth", "", "anything")).isEqualTo("error");
        client.assertServed();
    }

    @Test
    void wrong_secrets_delay_later_ones_and_the_right_secret_still_works() {
        List<TestClient> guessing = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            TestClient client = server.connect();
            client.send("auth", "", "wrong" + i);
            guessing.add(client);
        }
        // Some were delayed; beyond the limit of delayed ones, connections were closed.
        int refused = 0;
        int closed = 0;
        for (TestClient client : guessing) {
            String response = client.rest(100);
            refused += response.equals("error_auth\n") ? 1 : 0;
            closed += response.isEmpty() ? 1 : 0;
        }
        assertThat(refused).isGreaterThanOrEqualTo(20);
        assertThat(refused + closed).isEqualTo(100);

        long sentNanos = System.nanoTime();
        TestClient client = server.connect();
        client.sendRaw("auth\n\n" + SECRET + "\nl\nk\n0 7\n");
        assertThat(client.line()).isEqualTo("ok");
        // The delay is one second: it may end late, but never earlier.
        assertThat(System.nanoTime() - sentNanos).isGreaterThan(Duration.ofMillis(990).toNanos());
        assertThat(client.line()).endsWith(" 7");
        client.assertServed();
    }

    @Test
    void a_client_that_leaves_while_its_secret_is_delayed_affects_no_other() {
        for (int i = 0; i < 25; i++) {
            TestClient client = server.connect();
            client.send("auth", "", "wrong");
            assertThat(client.rest(100)).isIn("error_auth\n", "");
        }
        for (int i = 0; i < 5; i++) {
            server.connect().send("auth", "", SECRET).reset();
            server.connect().send("auth", "", "wrong").close();
        }
        TestClient half = server.connect();
        half.send("auth", "", SECRET).halfClose();
        assertThat(half.rest()).isEqualTo("ok\n");
        authenticated().assertServed();
    }

    private void assertNothingHeld() {
        Stats stats = Stats.parse(authenticated().request("stats", "", ""));
        assertThat(stats.keys("locks")).isEmpty();
        assertThat(stats.keys("idle_locks")).isEmpty();
    }
}
