package io.holdfast.http;

import static io.holdfast.http.TestHttp.statusAndError;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that two programs may interpret differently, sent as raw bytes over a socket. */
final class MalformedRequestIT {
    private static final TestHttp HTTP = TestHttp.start();
    private static final String LEASE = "POST /v1/leases/k HTTP/1.1\r\nHost: localhost\r\n";
    private static final String NO_BODY = "Content-Length: 0\r\n\r\n";
    private static final String BODY = "Content-Length: 2\r\n\r\n{}";

    @AfterAll
    static void stop() {
        HTTP.close();
    }

    private static String responseTo(String request) {
        try (RawHttp raw = new RawHttp(HTTP)) {
            return raw.send(request).response();
        }
    }

    /** Acquires a lease, if the target is accepted. */
    private static String post(String target) {
        return responseTo("POST " + target + " HTTP/1.1\r\nHost: localhost\r\n" + BODY);
    }

    private static void assertRefused(String response, String detail) {
        assertThat(response).matches("(?s)HTTP/1.[01] 400 .*");
        JsonObject problem = new JsonObject(response.substring(response.indexOf('{')));
        assertThat(problem.getString("error")).isEqualTo("bad_request");
        assertThat(problem.getInteger("status")).isEqualTo(400);
        assertThat(problem.getString("detail")).contains(detail);
        assertThat(HTTP.driver.queries().holders(ResourceKind.LOCK, Key.of("k"))).isNull();
    }

    private static void release(String path, String response) {
        String token = new JsonObject(response.substring(response.indexOf('{'))).getString("token");
        String release = path.replaceFirst("(?=\\?|$)", "/release");
        assertThat(statusAndError(HTTP.post(release, "{\"token\":\"" + token + "\"}")))
                .isEqualTo("204");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/leases/é", // sent as UTF-8 bytes
                "/v1/leases/ÿ",
                "/v1/leases/-?key=é",
                "/v1/leases/\u0080",
                "/v1/leases/k\u007f",
                "/v1/leases/k\u0001",
                "/v1/leases/k\u0000",
                "/v1/leases/\u001b[2J",
                "/v1/leases/k?\u0008",
                "/v1/leases/k#l",
                "/v1/leases/-?key=k#l",
            })
    void a_byte_that_must_be_percent_encoded_is_refused(String target) {
        byte[] utf8 = target.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        String raw = new String(utf8, java.nio.charset.StandardCharsets.ISO_8859_1);
        assertRefused(post(raw), "must be percent-encoded");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\t", "\u000b", "\f", "\r", " "})
    void a_separator_in_a_path_is_refused(String separator) {
        assertRefused(post("/v1/leases/k" + separator + "l"), "not well-formed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/leases/%C3%A9", "/v1/leases/%c3%a9", "/v1/leases/-?key=%C3%A9",
                "/v1/leases/a%00b%23%01%7f", "/v1/leases/%FF", "/v1/leases/a;b=c,d'(*)@:!$&+~",
                "/v1/leases/\"<>[]^`{|}\\",
            })
    void a_percent_encoded_key_is_accepted_whatever_its_bytes(String target) {
        String response = post(target);

        assertThat(response).startsWith("HTTP/1.1 200 ");
        release(target.startsWith("/v1/leases/\"") ? escaped(target) : target, response);
    }

    private static String escaped(String path) {
        StringBuilder out = new StringBuilder();
        path.chars()
                .forEach(
                        c ->
                                out.append(
                                        "\"<>[]^`{|}\\".indexOf(c) < 0
                                                ? Character.toString(c)
                                                : "%%%02x".formatted(c)));
        return out.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Folded: a\r\n b\r\n",
                "X-Folded: a\r\n\tb\r\n",
                "X-Folded: a\r\n \r\n",
                "X-Folded:\r\n a\r\nX-Next: b\r\n",
                "X-One: a\r\nX-Folded: a\r\n b\r\n c\r\n",
            })
    void a_folded_header_is_refused(String header) {
        assertRefused(responseTo(LEASE + header + BODY), "begins with a blank");
        assertRefused(responseTo(LEASE + header + NO_BODY), "begins with a blank");
        assertRefused(
                responseTo(LEASE + "Content-Length: 2\r\n" + header + "\r\n{}"),
                "begins with a blank");
    }

    @Test
    void a_header_that_begins_with_a_blank_or_ends_with_a_line_feed_alone_is_refused() {
        assertRefused(responseTo(LEASE.replace("Host", " Host") + BODY), "not well-formed");
        assertRefused(responseTo(LEASE + "X-Folded: a\n b\r\n" + BODY), "not well-formed");
    }

    @Test
    void a_folded_header_is_refused_however_its_bytes_arrive() {
        String request = LEASE + "X-Folded: a\r\n b\r\n" + BODY;
        try (RawHttp raw = new RawHttp(HTTP)) {
            for (int i = 0; i < request.length() - BODY.length() + 4; i++) {
                raw.send(request.substring(i, i + 1));
            }
            raw.send("Content-Length: 0\r\n\r\n");
            assertRefused(raw.response(), "begins with a blank");
        }
    }

    @Test
    void nothing_after_a_refused_request_is_served() {
        String folded = LEASE + "X-Folded: a\r\n b\r\n" + NO_BODY;
        try (RawHttp raw = new RawHttp(HTTP)) {
            raw.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" + folded + LEASE + BODY);
            assertThat(raw.response()).startsWith("HTTP/1.1 200 ");
            assertRefused(raw.response(), "begins with a blank");
            assertThat(raw.isEnded()).isTrue();
        }
        assertThat(HTTP.driver.queries().holders(ResourceKind.LOCK, Key.of("k"))).isNull();
    }

    @Test
    void lines_of_a_body_may_begin_with_a_blank() {
        String body = "\r\n {\r\n\t\"acquire_timeout_s\": 0\r\n }\r\n \r\n";
        String head = "POST /v1/leases/b HTTP/1.1\r\nHost: localhost\r\n";
        String health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        String length = "Content-Length: " + body.length() + "\r\n\r\n";
        String chunks =
                "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
                        .formatted(body.length(), body);
        for (String framed : new String[] {length + body, chunks}) {
            try (RawHttp raw = new RawHttp(HTTP)) {
                raw.send(health + head + framed + health);
                assertThat(raw.response()).startsWith("HTTP/1.1 200 ");
                String response = raw.response();
                assertThat(response).startsWith("HTTP/1.1 200 ");
                release("/v1/leases/b", response);
                assertThat(raw.response()).startsWith("HTTP/1.1 200 ");
            }
        }
    }

    @Test
    void a_body_with_a_length_and_chunks_is_refused() {
        String chunks = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";

        assertRefused(responseTo(LEASE + "Content-Length: 2\r\n" + chunks), "not well-formed");
        assertRefused(
                responseTo(
                        LEASE
                                + "Transfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n"
                                + "2\r\n{}\r\n0\r\n\r\n"),
                "not well-formed");
        assertRefused(
                responseTo(LEASE.replace("1.1", "1.0") + "Content-Length: 2\r\n" + chunks), "");
        assertRefused(responseTo(LEASE + "Content-Length: 2\r\n" + BODY), "not well-formed");
        assertRefused(
                responseTo(LEASE + "Transfer-Encoding: chunked, gzip\r\n\r\n{}"),
                "not well-formed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-One: a\r\n", "X-Folded: a\r\n b\r\n", " X-Folded: a\r\n"})
    void trailers_after_a_chunked_body_are_refused(String trailers) {
        String chunks = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + trailers + "\r\n";
        String health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        try (RawHttp raw = new RawHttp(HTTP)) {
            assertThat(raw.send(LEASE + chunks + health).isEnded()).isTrue(); // without a response
        }
        assertThat(HTTP.driver.queries().holders(ResourceKind.LOCK, Key.of("k"))).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: http://localhost\r\nOrigin: https://evil.example\r\n",
                "Origin: https://evil.example\r\nOrigin: http://localhost\r\n",
                "Host: localhost\r\n",
                "Host: evil.example\r\n",
                "Authorization: Bearer a\r\nauthorization: Bearer b\r\n",
                "X-Dflockd-Session: a\r\nX-Dflockd-Session: b\r\n",
            })
    void a_header_that_must_not_be_repeated_is_refused_if_it_is(String headers) {
        assertRefused(responseTo(LEASE + headers + BODY), "there is more than one ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.example/v1/leases/k",
                "https://evil.example/v1/leases/k",
                "http://localhost:1/v1/leases/k",
                "http://localhost@evil.example/v1/leases/k",
                "http://evil.example@localhost/v1/leases/k",
                "http:///v1/leases/k",
                "http://localhost?/v1/leases/k",
                "evil.example/v1/leases/k",
                "evil.example:80",
                "#/v1/leases/k",
                "*",
            })
    void a_target_that_names_another_host_or_no_path_is_refused(String target) {
        assertRefused(post(target), "");
    }

    @Test
    void a_target_in_absolute_form_may_name_this_server() {
        for (String host : new String[] {"localhost", "LOCALHOST:6389", "127.0.0.1:1"}) {
            assertThat(
                            responseTo(
                                    "GET http://%s/health HTTP/1.1\r\nHost: %s\r\n\r\n"
                                            .formatted(host, host)))
                    .startsWith("HTTP/1.1 200 ");
        }
        assertThat(
                        responseTo(
                                "GET http://evil.example/health HTTP/1.1\r\n"
                                        + "Host: evil.example\r\n\r\n"))
                .contains(" 403 ", "forbidden_host");
        assertThat(responseTo("GET http://localhost/health HTTP/1.0\r\n\r\n")).contains(" 400 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"acquire_timeout_s\":0,\"acquire_timeout_s\":0}",
                "{\"lease_ttl_s\":1,\"lease\\u005fttl_s\":60}",
                "{\"x\":{\"a\":1,\"a\":2}}",
            })
    void a_body_with_a_field_twice_is_refused(String body) {
        assertRefused(
                responseTo(LEASE + "Content-Length: " + body.length() + "\r\n\r\n" + body),
                "has a field twice");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/kv/%s",
                "/v1/counters/%s",
                "/v1/lists/%s",
                "/v1/kv/-?key=%s",
            })
    void a_line_break_in_the_name_of_data_is_refused(String route) {
        for (String key : new String[] {"a%0Ab", "a%0Db", "%0D%0A"}) {
            assertThat(statusAndError(HTTP.get(route.formatted(key)))).isEqualTo("400 bad_request");
        }
        assertThat(statusAndError(HTTP.send("PUT", "/v1/kv/a%0Ab", "{\"value\":\"x\"}")))
                .isEqualTo("400 bad_request");
        assertThat(HTTP.get("/v1/stats").body()).doesNotContain("a\\nb");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/leases/%s", "/v1/leases/-?key=%s"})
    void a_line_break_in_the_key_of_a_lease_is_refused(String route) {
        for (String key : new String[] {"a%0Ab: c", "a%0Db"}) {
            String path = route.formatted(key.replace(" ", "%20"));
            assertThat(statusAndError(HTTP.post(path, "{}"))).isEqualTo("400 bad_request");
        }
    }
}
