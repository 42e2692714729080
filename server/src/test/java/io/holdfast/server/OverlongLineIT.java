package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A line that is too long")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
class OverlongLineIT {
    private static final String LONGEST = "x".repeat(256);

    private final TestServer server;

    OverlongLineIT(IoTransport ioTransport) {
        server = TestServer.start(new TestConfig().transport(ioTransport));
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void a_line_of_257_bytes_is_too_long_in_any_of_the_three_lines() {
        TestClient client = server.connect();
        assertThat(client.request(LONGEST, "k", "0")).isEqualTo("error");
        assertThat(client.request("l", LONGEST, "0")).startsWith("ok ");
        assertThat(client.request("l", "k", " ".repeat(255) + "0")).startsWith("ok ");
        for (String request :
                new String[] {
                    LONGEST + "x\nk\n0\n", "l\n" + LONGEST + "x\n0\n", "l\nk\n0" + LONGEST + "\n"
                }) {
            TestClient over = server.connect();
            over.sendRaw(request);
            assertThat(over.rest()).isEqualTo("error\n");
        }
    }

    @Test
    void an_overlong_line_is_answered_when_it_ends_and_not_before() {
        TestClient client = server.connect();
        client.sendRaw("ping\n\n\n");
        assertThat(client.line()).isEqualTo("ok");
        for (int i = 0; i < 200; i++) {
            client.sendRaw("x".repeat(10_000));
        }
        // The server has read all this or is about to: other connections are served meanwhile.
        server.connect().assertServed();
        assertThat(client.available()).isZero();
        client.sendRaw("\n");
        assertThat(client.rest()).isEqualTo("error\n");
    }

    @Test
    void an_overlong_line_closes_the_connection_and_nothing_behind_it_is_run() {
        TestClient client = server.connect();
        String token = client.acquire("held");
        client.sendRaw("x".repeat(300) + "\nl\nk\n0\nr\nheld\n" + token + "\n");
        assertThat(client.rest()).isEqualTo("error\n");
        Stats stats = server.awaitStats(s -> !s.isHeld("held"));
        assertThat(stats.keys("locks")).isEmpty();
        assertThat(stats.keys("idle_locks")).containsExactly("held");
    }

    @Test
    void requests_before_an_overlong_line_are_answered_first() {
        TestClient client = server.connect();
        client.sendRaw("ping\n\n\nl\nk\n0 9\n" + "x".repeat(300) + "\n");
        assertThat(client.line()).isEqualTo("ok");
        assertThat(client.line()).endsWith(" 9");
        assertThat(client.rest()).isEqualTo("error\n");
    }

    /** Closing with unread input would send a reset that can overtake the response. */
    @Test
    void the_response_to_an_overlong_line_arrives_though_much_more_was_sent() {
        for (int i = 0; i < 10; i++) {
            TestClient client = server.connect();
            client.sendRaw("x".repeat(300) + "\n" + "ping\n\n\n".repeat(20_000));
            assertThat(client.line()).isEqualTo("error");
            client.assertClosed();
        }
    }

    @Test
    void an_overlong_line_without_end_gets_no_response_when_the_client_closes() {
        TestClient client = server.connect();
        client.sendRaw("x".repeat(3000)).halfClose();
        assertThat(client.rest()).isEmpty();
    }
}
