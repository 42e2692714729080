package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("HTTP on the dflockd port")
class HttpIT {
    private final TestServer server = TestServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1",
                "POST /l HTTP/1.1",
                "OPTIONS * HTTP/1.0",
                "PRI * HTTP/2.0",
            })
    void a_connection_with_an_http_request_is_closed_at_its_first_line(String line) {
        TestClient page = server.connect();
        page.sendRaw(line + "\r\n");
        page.assertClosed();
    }

    @Test
    void a_web_page_acquires_no_lock_with_the_body_of_a_post() {
        String body = "l\nstolen\n0 60\n".repeat(3);
        TestClient page = server.connect();
        page.sendIfOpen(
                "POST / HTTP/1.1\r\n"
                        + "Host: localhost\r\n"
                        + "Content-Type: text/plain\r\n"
                        + "Content-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body);
        page.assertClosed();
        assertNothingHeld();
    }

    /**
     * A path may be longer than a line may be: then the line and everything behind it is refused.
     */
    @Test
    void a_web_page_acquires_no_lock_behind_a_long_path() {
        TestClient page = server.connect();
        page.sendIfOpen("POST /" + "x".repeat(300) + " HTTP/1.1\r\n\r\nl\nstolen\n0 60\n");
        page.sendIfOpen("l\nstolen\n0 60\n");
        assertThat(page.rest()).isEqualTo("error\n");
        assertNothingHeld();
    }

    @Test
    void an_http_request_sent_byte_by_byte_closes_the_connection() {
        TestClient page = server.connect();
        for (char c : "POST / HTTP/1.1\r\n".toCharArray()) {
            page.sendRaw(String.valueOf(c));
        }
        page.assertClosed();
    }

    @Test
    void a_key_that_looks_like_http_is_served() {
        TestClient client = server.connect();
        client.assertServed();
        assertThat(client.request("GET / HTTP/1.1", "k", "0")).isEqualTo("error");
        assertThat(client.request("l", "/HTTP/1.1", "0")).startsWith("ok ");
    }

    private void assertNothingHeld() {
        Stats stats = server.stats();
        assertThat(stats.keys("locks")).isEmpty();
        assertThat(stats.keys("idle_locks")).isEmpty();
    }
}
