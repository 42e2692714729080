package io.holdfast.http;

import static io.holdfast.http.TestHttp.json;
import static io.holdfast.http.TestHttp.statusAndError;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.driver.Secret;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

final class HttpLimitsIT {
    private @Nullable TestHttp running;

    @AfterEach
    void stop() {
        if (running != null) {
            running.close();
        }
    }

    private TestHttp start(UnaryOperator<HttpConfig.Builder> change) {
        running = TestHttp.start(change);
        return running;
    }

    private static Secret secret(String text) {
        return new Secret(text.getBytes(StandardCharsets.UTF_8));
    }

    private TestHttp startWithSecrets() {
        return start(config -> config.secret(secret("s3cret")).readToken(secret("read-me")));
    }

    private static String status(String response) {
        return response.substring(9, 12);
    }

    @Test
    void a_secret_is_required_for_everything_but_health_and_readiness() {
        TestHttp http = startWithSecrets();

        assertThat(statusAndError(http.post("/v1/sessions", null))).isEqualTo("401 unauthorized");
        assertThat(statusAndError(http.get("/nowhere"))).isEqualTo("401 unauthorized");
        assertThat(statusAndError(http.post("/v1/sessions", null, "Authorization", "Bearer wrong")))
                .isEqualTo("401 unauthorized");
        assertThat(
                        statusAndError(
                                http.post("/v1/sessions", null, "Authorization", "bEaReR s3cret")))
                .isEqualTo("200");
        assertThat(statusAndError(http.get("/nowhere", "Authorization", "Bearer s3cret")))
                .isEqualTo("404 not_found");
        assertThat(statusAndError(http.get("/health"))).isEqualTo("200");
        assertThat(statusAndError(http.get("/ready"))).isEqualTo("200");
    }

    @Test
    void the_read_only_token_permits_reading_only() {
        TestHttp http = startWithSecrets();

        assertThat(
                        statusAndError(
                                http.post("/v1/sessions", null, "Authorization", "Bearer read-me")))
                .isEqualTo("403 forbidden");
        assertThat(statusAndError(http.get("/v1/keys", "Authorization", "Bearer read-me")))
                .isEqualTo("200");
    }

    @Test
    void requests_above_the_rate_limit_of_an_address_are_refused_except_health_and_readiness() {
        TestHttp http = start(config -> config.rate(1).burst(2));
        http.get("/v1/keys");
        http.get("/v1/keys");

        HttpResponse<String> response = http.get("/v1/keys");

        assertThat(statusAndError(response)).isEqualTo("429 rate_limited");
        assertThat(statusAndError(http.get("/health"))).isEqualTo("200");
        assertThat(statusAndError(http.get("/ready"))).isEqualTo("200");
    }

    @Test
    void connections_above_the_maximum_of_an_address_are_closed() {
        TestHttp http = start(config -> config.maxConnectionsPerAddress(1));
        String request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        try (RawHttp first = new RawHttp(http)) {
            assertThat(status(first.send(request).response())).isEqualTo("200");
            try (RawHttp second = new RawHttp(http)) {
                assertThat(second.isEnded()).isTrue();
            }
            assertThat(status(first.send(request).response())).isEqualTo("200");
        }
        await().until(() -> isServed(http, request));
    }

    private static boolean isServed(TestHttp http, String request) {
        try (RawHttp next = new RawHttp(http)) {
            return status(next.send(request).response()).equals("200");
        } catch (AssertionError | java.io.UncheckedIOException e) {
            return false; // the previous connection is still counted
        }
    }

    @Test
    void a_loopback_server_accepts_only_loopback_host_names() {
        TestHttp http = start(config -> config.allowedHosts(Set.of("locks.example")));

        for (String host :
                new String[] {"localhost", "LOCALHOST:1", "127.0.0.1:80", "127.1.2.3", "[::1]:6"}) {
            assertThat(asHost(http, host)).as(host).startsWith("HTTP/1.1 200");
        }
        assertThat(asHost(http, "locks.example:6389")).startsWith("HTTP/1.1 200");
        for (String host : new String[] {"evil.example", "127.0.0.1.evil.example", "10.0.0.1"}) {
            assertThat(asHost(http, host)).as(host).contains(" 403 ", "forbidden_host");
        }
    }

    @Test
    void a_server_on_all_addresses_accepts_only_loopback_host_names_on_loopback_connections() {
        try (TestHttp http = TestHttp.start(HttpAddress.of("0.0.0.0", 0), config -> config)) {
            assertThat(asHost(http, "localhost:6389")).startsWith("HTTP/1.1 200");
            assertThat(asHost(http, "evil.example")).contains(" 403 ", "forbidden_host");
        }
    }

    @Test
    void an_allowed_host_may_be_an_IPv6_address() {
        TestHttp http = start(config -> config.allowedHosts(Set.of("fe80::1", "[fe80::2]:80")));

        assertThat(asHost(http, "[fe80::1]")).startsWith("HTTP/1.1 200");
        assertThat(asHost(http, "[fe80::1]:6389")).startsWith("HTTP/1.1 200");
        assertThat(asHost(http, "[fe80::2]:6389")).startsWith("HTTP/1.1 200");
        assertThat(asHost(http, "[fe80::3]:6389")).contains(" 403 ", "forbidden_host");
    }

    @Test
    void a_Host_header_is_required_except_in_HTTP_1_0() {
        TestHttp http = start(config -> config);

        try (RawHttp raw = new RawHttp(http)) {
            assertThat(status(raw.send("GET /health HTTP/1.1\r\n\r\n").response()))
                    .isEqualTo("400");
        }
        try (RawHttp raw = new RawHttp(http)) {
            assertThat(status(raw.send("GET /health HTTP/1.0\r\n\r\n").response()))
                    .isEqualTo("200");
        }
    }

    @Test
    void a_delayed_401_does_not_delay_other_connections() {
        TestHttp http = startWithSecrets();
        try (RawHttp raw = new RawHttp(http)) {
            raw.send("GET /v1/keys HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(statusAndError(http.get("/health"))).isEqualTo("200");
            assertThat(status(raw.response())).isEqualTo("401");
        }
    }

    @Test
    void wrong_secrets_delay_later_requests_of_the_address_and_the_right_secret_stays_valid() {
        TestHttp http = startWithSecrets();
        try (RawHttp known = new RawHttp(http)) {
            assertThat(status(known.send(requestWithToken("s3cret")).response())).isEqualTo("200");
            List<RawHttp> guesses = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                guesses.add(new RawHttp(http).send(requestWithToken("wrong" + i)));
            }
            // The first requests are not delayed, the next are delayed, and above the maximum of
            // delayed requests connections are closed.
            int refused = 0;
            int closed = 0;
            for (RawHttp guess : guesses) {
                String response = responseOrEmpty(guess);
                refused += response.startsWith("HTTP/1.1 401 ") ? 1 : 0;
                closed += response.isEmpty() ? 1 : 0;
                guess.close();
            }
            assertThat(refused).isGreaterThanOrEqualTo(20);
            assertThat(refused + closed).isEqualTo(100);

            assertThat(status(known.send(requestWithToken("s3cret")).response())).isEqualTo("200");
            long startNanos = System.nanoTime();
            String body = "{\"acquire_timeout_s\":0}";
            assertThat(
                            statusAndError(
                                    http.post(
                                            "/v1/leases/k",
                                            body,
                                            "Authorization",
                                            "Bearer s3cret")))
                    .isEqualTo("200");
            // A delay of one second: possibly more, never less.
            assertThat(System.nanoTime() - startNanos)
                    .isGreaterThan(Duration.ofMillis(990).toNanos());

            assertThat(status(known.send(requestWithToken("wrong")).response())).isEqualTo("401");
            startNanos = System.nanoTime();
            assertThat(status(known.send(requestWithToken("s3cret")).response())).isEqualTo("200");
            assertThat(System.nanoTime() - startNanos)
                    .isGreaterThan(Duration.ofMillis(990).toNanos());
        }
    }

    @Test
    void a_secret_on_a_public_route_is_not_delayed_and_does_not_make_its_connection_trusted() {
        TestHttp http = startWithSecrets();
        String health = requestWithToken("s3cret").replace("/v1/keys", "/health");
        try (RawHttp known = new RawHttp(http);
                RawHttp next = new RawHttp(http)) {
            assertThat(status(known.send(health).response())).isEqualTo("200");
            List<RawHttp> guesses = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                guesses.add(new RawHttp(http).send(requestWithToken("wrong" + i)));
            }
            // The maximum number of requests is delayed: another one whose secret is checked would
            // be closed.
            assertThat(status(known.send(health).response())).isEqualTo("200");
            assertThat(status(next.send(health.replace("s3cret", "wrong")).response()))
                    .isEqualTo("200");
            for (RawHttp guess : guesses) {
                responseOrEmpty(guess);
                guess.close();
            }

            long startNanos = System.nanoTime();
            assertThat(status(known.send(requestWithToken("wrong")).response())).isEqualTo("401");
            assertThat(System.nanoTime() - startNanos)
                    .isGreaterThan(Duration.ofMillis(990).toNanos());
        }
    }

    @Test
    void wrong_secrets_over_other_protocols_count_too() {
        TestHttp http = startWithSecrets();
        while (!http.backend.authFailures().isSlowed("127.0.0.1")) {
            http.backend.authFailures().failed("127.0.0.1");
        }
        while (http.backend.authFailures().beginDelay("127.0.0.1")) {
            // up to the maximum number of delayed requests
        }
        try (RawHttp raw = new RawHttp(http)) {
            assertThat(responseOrEmpty(raw.send(requestWithToken("s3cret")))).isEmpty();
        }
    }

    @Test
    void a_client_that_disconnects_while_it_is_delayed_acquires_nothing() {
        TestHttp http = startWithSecrets();
        for (int i = 0; i < 20; i++) {
            try (RawHttp raw = new RawHttp(http)) {
                raw.send(requestWithToken("wrong"));
            }
        }
        String lease = requestWithToken("s3cret").replace("GET /v1/keys", "POST /v1/leases/k");
        for (int i = 0; i < 3; i++) {
            try (RawHttp raw = new RawHttp(http)) {
                raw.send(lease.replace("\r\n\r\n", "\r\nContent-Length: 2\r\n\r\n{}"));
            }
        }
        assertThat(statusAndError(http.get("/v1/keys", "Authorization", "Bearer s3cret")))
                .isEqualTo("200");
        assertThat(http.driver.queries().holders(ResourceKind.LOCK, Key.of("k"))).isNull();
    }

    private static String requestWithToken(String token) {
        return "GET /v1/keys HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                + token
                + "\r\n\r\n";
    }

    /** The response; empty if the connection is closed without one. */
    private static String responseOrEmpty(RawHttp raw) {
        try {
            return raw.response();
        } catch (AssertionError | java.io.UncheckedIOException e) {
            return "";
        }
    }

    private static String asHost(TestHttp http, String host) {
        try (RawHttp raw = new RawHttp(http)) {
            return raw.send("GET /health HTTP/1.1\r\nHost: " + host + "\r\n\r\n").response();
        }
    }

    @Test
    void a_foreign_page_cannot_use_the_server_even_with_simple_requests() {
        TestHttp http = start(config -> config);
        String body = "{\"acquire_timeout_s\":0}";

        assertThat(
                        statusAndError(
                                http.post("/v1/leases/k", body, "Origin", "https://evil.example")))
                .isEqualTo("403 forbidden_origin");
        assertThat(statusAndError(http.post("/v1/leases/k", body, "Origin", "null")))
                .isEqualTo("403 forbidden_origin");
        assertThat(statusAndError(http.post("/v1/leases/k", body, "Sec-Fetch-Site", "cross-site")))
                .isEqualTo("403 forbidden_origin");
        assertThat(statusAndError(http.get("/v1/keys", "Sec-Fetch-Site", "same-site")))
                .isEqualTo("403 forbidden_origin");
        assertThat(http.driver.queries().holders(ResourceKind.LOCK, Key.of("k"))).isNull();
        assertThat(statusAndError(http.post("/v1/leases/k", body, "Origin", http.url())))
                .isEqualTo("200");
        assertThat(
                        statusAndError(
                                http.get(
                                        "/health",
                                        "Sec-Fetch-Site",
                                        "cross-site",
                                        "Sec-Fetch-Mode",
                                        "navigate",
                                        "Sec-Fetch-Dest",
                                        "document")))
                .isEqualTo("200");
    }

    @Test
    void pages_of_an_allowed_origin_may_use_the_server() {
        TestHttp http = start(config -> config.corsOrigins(Set.of("https://ops.example")));

        HttpResponse<String> preflight =
                http.send(
                        "OPTIONS",
                        "/v1/sessions",
                        null,
                        "Origin",
                        "https://ops.example",
                        "Access-Control-Request-Method",
                        "POST");
        HttpResponse<String> response =
                http.post("/v1/sessions", null, "Origin", "https://ops.example");

        assertThat(preflight.statusCode()).isEqualTo(204);
        assertThat(preflight.headers().firstValue("Access-Control-Allow-Headers"))
                .hasValue("Authorization, Content-Type, X-Dflockd-Session");
        assertThat(preflight.headers().firstValue("Access-Control-Max-Age")).hasValue("300");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Access-Control-Allow-Origin"))
                .hasValue("https://ops.example");
        assertThat(response.headers().firstValue("Vary")).hasValue("Origin");
        assertThat(
                        statusAndError(
                                http.post("/v1/sessions", null, "Origin", "https://evil.example")))
                .isEqualTo("403 forbidden_origin");
    }

    @Test
    void all_origins_may_be_allowed() {
        TestHttp http = start(config -> config.corsOrigins(Set.of("*")));

        HttpResponse<String> response = http.get("/health", "Origin", "https://any.example");

        assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).hasValue("*");
        assertThat(response.headers().firstValue("Vary")).isEmpty();
    }

    @Test
    void requests_that_are_too_long_or_not_HTTP_are_refused() {
        TestHttp http = start(config -> config);

        try (RawHttp raw = new RawHttp(http)) {
            raw.send("GET /" + "x".repeat(300_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(status(raw.response())).isEqualTo("414");
        }
        try (RawHttp raw = new RawHttp(http)) {
            raw.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(20_000));
            raw.send("\r\n\r\n");
            assertThat(status(raw.response())).isEqualTo("431");
        }
        try (RawHttp raw = new RawHttp(http)) {
            raw.send("GET /v1/locks/k%2 HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(status(raw.response())).isEqualTo("400");
        }
        try (RawHttp raw = new RawHttp(http)) {
            raw.send("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n");
            assertThat(status(raw.response())).isEqualTo("400");
        }
    }

    @Test
    void an_expected_100_continue_is_sent_unless_the_body_is_too_long() {
        TestHttp http = start(config -> config);
        try (RawHttp raw = new RawHttp(http)) {
            raw.send(expecting(2));
            assertThat(raw.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100 ");

            assertThat(raw.send("{}").response()).startsWith("HTTP/1.1 200 ");
        }
        try (RawHttp raw = new RawHttp(http)) {
            raw.send(expecting(2000000));
            assertThat(raw.response()).startsWith("HTTP/1.1 400 ");
        }
    }

    private static String expecting(int length) {
        String head = RawHttp.head("/v1/leases/k", "none", length);
        return head.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n");
    }

    @Test
    void pipelined_requests_are_answered_in_order() {
        TestHttp http = start(config -> config);
        try (RawHttp raw = new RawHttp(http)) {
            String health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
            String nothing = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
            raw.send((health + nothing).repeat(200));
            for (int i = 0; i < 200; i++) {
                assertThat(status(raw.response())).isEqualTo("200");
                assertThat(status(raw.response())).isEqualTo("404");
            }
        }
    }

    @Test
    void requests_pipelined_behind_a_long_poll_wait_for_its_end() {
        TestHttp http = start(config -> config);
        String lease = json(http.post("/v1/leases/k", "{}")).getString("token");
        String poll = "{\"acquire_timeout_s\":60}";
        try (RawHttp raw = new RawHttp(http)) {
            raw.send(RawHttp.head("/v1/leases/k", "none", poll.length()) + poll);
            await().until(() -> waiters(http) == 1);
            raw.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3));
            http.post("/v1/leases/k/release", "{\"token\":\"" + lease + "\"}");

            assertThat(raw.response()).contains(" 200 ", "fence");
            for (int i = 0; i < 3; i++) {
                assertThat(raw.response()).contains(" 200 ", "status");
            }
        }
    }

    private static int waiters(TestHttp http) {
        var view = http.driver.queries().view(ResourceKind.LOCK, Key.of("k"), 1);
        return view == null ? 0 : view.waiters();
    }

    @Test
    void a_client_that_pipelines_too_much_is_disconnected_and_loses_its_position() {
        TestHttp http = start(config -> config);
        http.post("/v1/leases/k", "{}");
        String poll = "{\"acquire_timeout_s\":60}";
        try (RawHttp raw = new RawHttp(http)) {
            raw.send(RawHttp.head("/v1/leases/k", "none", poll.length()) + poll);
            await().until(() -> waiters(http) == 1);
            raw.send("x".repeat(17_000));

            assertThat(raw.isEnded()).isTrue();
        }
        await().until(() -> waiters(http) == 0);
    }

    @Test
    void admin_routes_exist_only_with_a_secret_or_if_enabled() {
        assertThat(statusAndError(start(config -> config).get("/v1/admin/audit")))
                .isEqualTo("404 not_found");
        stop();
        assertThat(statusAndError(start(config -> config.admin(true)).get("/v1/admin/audit")))
                .isEqualTo("200");
        stop();
        TestHttp http = startWithSecrets();
        assertThat(statusAndError(http.get("/v1/admin/audit", "Authorization", "Bearer s3cret")))
                .isEqualTo("200");
        assertThat(statusAndError(http.get("/v1/admin/audit", "Authorization", "Bearer read-me")))
                .isEqualTo("403 forbidden");
    }
}
