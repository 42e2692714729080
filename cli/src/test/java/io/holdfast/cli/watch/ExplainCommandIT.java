package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.serve.StandardStreams;
import io.holdfast.console.json.JsonValue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

@DisplayName("holdfast explain")
class ExplainCommandIT {
    private static final String NO_WAITS = "{\"waits\":[],\"cycles\":[],\"truncated\":false}";

    private FakeApi api;

    @BeforeEach
    void start() throws IOException {
        api = new FakeApi();
        api.put("/v1/waits", NO_WAITS);
        for (int i = 1; i <= 3; i++) {
            api.put("/v1/connections/" + i, connection(i, "", ""));
        }
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private record Ended(int status, List<String> out, List<String> err) {}

    private Ended explain(Map<String, String> environment, String... args) {
        Map<String, String> all = new HashMap<>(environment);
        all.putIfAbsent("HOLDFAST_HTTP", api.url());
        try (StandardStreams streams = new StandardStreams()) {
            int status = InspectionCommands.all(all).get("explain").get().execute(args);
            return new Ended(status, streams.out().lines().toList(), streams.errLines());
        }
    }

    private Ended explain(String... args) {
        return explain(Map.of(), args);
    }

    private static String connection(int number, String holding, String waiting) {
        return """
        {"connection":%d,"name":"host:%d","protocol":"dflockd","open_s":9,"holds":1,"waits":0,
         "holding":[%s],"waiting":[%s]}
        """
                .formatted(number, number, holding, waiting);
    }

    private static String belonging(String key) {
        return "{\"kind\":\"lock\",\"namespace\":\"\",\"key\":\"%s\"}".formatted(key);
    }

    private static String holder(int number, String lease) {
        return """
        {"connection":%d,"name":"host:%d","protocol":"dflockd","mode":"write","fence":"17",
         "since":"2026-01-01T00:00:00.000Z","held_s":12.345,"lease_left_s":%s,"state":"held"}
        """
                .formatted(number, number, lease);
    }

    private static String waiter(int place, int number) {
        return """
        {"position":%d,"connection":%d,"name":"host:%d","protocol":"lockd","mode":"write",
         "since":"2026-01-01T00:00:01.000Z","waited_s":11,"timeout_left_s":3.5}
        """
                .formatted(place, number, number);
    }

    private static String page(String key, String holders, int held, String waiters, int waiting) {
        return """
        {"key":"%s","namespace":"","resources":[{"kind":"lock","limit":1,"holders_total":%d,
         "waiters_total":%d,"holders":[%s],"waiters":[%s],"history":[
          {"event":"released","at":"2026-01-01T00:00:00.000Z","connection":9,"mode":"write",
           "fence":"16","span_s":2.5},
          {"event":"acquired","at":"2026-01-01T00:00:00.001Z","connection":1,"mode":"write",
           "fence":"17","span_s":0}]}]}
        """
                .formatted(key, held, waiting, holders, waiters);
    }

    @Test
    void explain_shows_holders_and_waiters_in_order() {
        api.put(
                "/v1/keys/deploy",
                page("deploy", holder(1, "20.6"), 1, waiter(1, 2) + "," + waiter(2, 3), 2));
        api.put("/v1/connections/1", connection(1, belonging("deploy") + "," + belonging("a"), ""));
        api.put("/v1/connections/2", connection(2, belonging("b"), belonging("c")));
        Ended ended = explain("deploy");
        assertThat(ended.status()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out())
                .containsExactly(
                        "lock deploy is held by #1 host:1 (dflockd) for 12s; 2 wait, the first for"
                                + " 11s. Its lease ends in 20s unless it is renewed.",
                        "",
                        "lock deploy: held by 1, waiting: 2",
                        "  held by #1 host:1 (dflockd), write, for 12s (since"
                                + " 2026-01-01T00:00:00.000Z), fence 17, lease 20s left",
                        "       also holds lock a",
                        "  1. #2 host:2 (lockd), write, waiting for 11s (since"
                                + " 2026-01-01T00:00:01.000Z), times out in 3.5s",
                        "       also holds lock b",
                        "       also waits for lock c",
                        "  2. #3 host:3 (lockd), write, waiting for 11s (since"
                                + " 2026-01-01T00:00:01.000Z), times out in 3.5s",
                        "  last events:",
                        "    2026-01-01T00:00:00.000Z  released   #9, fence 16, after 2.5s",
                        "    2026-01-01T00:00:00.001Z  acquired   #1, fence 17");
    }

    @Test
    void explain_shows_what_a_holder_without_a_lease_waits_for() {
        api.put("/v1/keys/deploy", page("deploy", holder(1, "null"), 1, waiter(1, 2), 1));
        api.put(
                "/v1/waits",
                """
                {"waits":[{"connection":1,"name":"host:1","protocol":"dflockd","kind":"lock",
                 "namespace":"","key":"db","mode":"write","position":1,"waited_s":1,
                 "blocked_by":[{"connection":7,"name":"host:7"}]}],"cycles":[]}
                """);
        assertThat(explain("deploy").out().getFirst())
                .isEqualTo(
                        "lock deploy is held by #1 host:1 (dflockd) for 12s, which itself waits for"
                            + " lock db, held by #7 host:7; one waits, for 11s. There is no lease:"
                            + " it is held until it is released or its connection ends.");
    }

    @Test
    void explain_shows_a_deadlock() {
        api.put("/v1/keys/a", page("a", holder(1, "20"), 1, waiter(1, 2), 1));
        api.put(
                "/v1/waits",
                """
                {"waits":[],"cycles":[[
                 {"connection":1,"name":"host:1","protocol":"dflockd","kind":"lock",
                  "namespace":"","key":"b"},
                 {"connection":2,"name":"host:2","protocol":"lockd","kind":"lock",
                  "namespace":"","key":"a"}]]}
                """);
        Ended ended = explain("a");
        String cycle =
                "#1 host:1 (dflockd) waits for lock b, which #2 host:2 (lockd) holds; #2 waits for"
                        + " lock a, which #1 holds";
        assertThat(ended.out().getFirst())
                .isEqualTo(
                        "lock a is stuck in a deadlock: "
                                + cycle
                                + ". It ends when one of the waits is cancelled or times out, or"
                                + " one of the holds is released or expires.");
        assertThat(ended.out()).containsSequence("", "deadlock:", "  " + cycle);
    }

    @Test
    void a_cycle_with_concurrent_requests_is_a_possible_deadlock() {
        api.put("/v1/keys/a", page("a", holder(1, "20"), 1, waiter(1, 2), 1));
        api.put(
                "/v1/waits",
                """
                {"waits":[],"cycles":[[
                 {"connection":1,"name":"host:1","protocol":"dflockd","kind":"lock",
                  "namespace":"","key":"b","concurrent":true},
                 {"connection":2,"name":"host:2","protocol":"lockd","kind":"lock",
                  "namespace":"","key":"a","concurrent":false}]]}
                """);
        Ended ended = explain("a");
        assertThat(ended.out().getFirst())
                .startsWith("lock a may be stuck in a possible deadlock: #1 host:1 (dflockd)");
        assertThat(ended.out()).contains("possible deadlock:");
    }

    @Test
    void explain_shows_how_long_a_restart_quarantine_delays_the_grant() {
        String page = page("deploy", "", 0, waiter(1, 2), 1);
        api.put("/v1/keys/deploy", page.replaceFirst("\\{", "{\"quarantine_left_s\":8.5,"));
        assertThat(explain("deploy").out().getFirst())
                .isEqualTo(
                        "lock deploy is not granted for another 8.5s, because the server was not"
                                + " stopped cleanly, or the cluster was recovered, and clients may"
                                + " still hold it: one waits.");
    }

    @Test
    void limit_limits_the_shown_holders_and_waiters() {
        api.put("/v1/keys/k", page("k", holder(1, "20"), 1, waiter(1, 2), 40));
        assertThat(explain("k", "--limit", "1").out()).contains("  and 39 more waiters");
        assertThat(api.requests()).contains("/v1/keys/k?limit=1");
    }

    @Test
    void control_characters_from_the_server_are_escaped() {
        String odd = "\\u001b[2J\\u009b\\u202e";
        String shown = "\\u001b[2J\\u009b\\u202e";
        api.put(
                "/v1/keys/k",
                """
                {"key":"k","namespace":"","resources":[{"kind":"KIND*","limit":1,
                 "holders_total":1,"waiters_total":0,"waiters":[],
                 "holders":[{"connection":1,"name":"NAME*","protocol":"PROTOCOL*",
                  "fence":"FENCE*","since":"SINCE*","held_s":1,"lease_left_s":null}],
                 "history":[{"event":"*","at":"AT*","connection":1,"fence":"PAST*"}]}]}
                """
                        .replace("*", odd));
        String all = String.join("\n", explain("k").out());
        assertThat(all.codePoints().filter(c -> c != '\n'))
                .noneMatch(c -> Character.isISOControl(c) || c == 0x202e);
        for (String name : List.of("KIND", "NAME", "PROTOCOL", "FENCE", "SINCE", "AT", "PAST")) {
            assertThat(all).contains(name + shown);
        }
        assertThat(explain("k", "--json").out().getFirst()).contains("\"KIND" + odd + "\"");
        api.refuse("/v1/keys/k", 500, "CODE" + odd, "DETAIL" + odd);
        assertThat(explain("k").err().getFirst()).endsWith("CODE" + shown + ", DETAIL" + shown);
    }

    @Test
    void explain_of_an_unknown_key_says_that_it_is_free() {
        api.refuse("/v1/keys/nobody", 404, "unknown_key");
        Ended ended = explain("nobody");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.out())
                .containsExactly("nobody is free: it has no holders and no waiters.");
        assertThat(explain("nobody", "--json").out())
                .containsExactly(
                        "{\"key\":\"nobody\",\"in_use\":false,\"explanation\":\"\","
                                + "\"resources\":[],\"connections\":[],\"cycles\":[]}");
    }

    @Test
    void explain_of_a_key_without_holders_says_that_it_is_free() {
        api.put("/v1/keys/k", page("k", "", 0, "", 0));
        Ended ended = explain("k");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.out().getFirst())
                .isEqualTo("lock k is free: it has no holders and no waiters.");
    }

    @Test
    void json_output_contains_all_data() {
        api.put("/v1/keys/deploy", page("deploy", holder(1, "20.6"), 1, waiter(1, 2), 1));
        Ended ended = explain("deploy", "-j");
        assertThat(ended.status()).isZero();
        JsonValue.ObjectValue json =
                (JsonValue.ObjectValue) JsonValue.parse(String.join("\n", ended.out()));
        assertThat(json.text("explanation")).startsWith("lock deploy is held by #1");
        assertThat(json.all("resources").getFirst().all("holders").getFirst().text("fence"))
                .isEqualTo("17");
        assertThat(json.all("connections")).hasSize(2);
    }

    @Test
    void control_characters_of_a_key_are_escaped() {
        api.put("/v1/keys/%1B%5B2J", page("\\u001b[2J", holder(1, "1"), 1, "", 0));
        assertThat(explain("\u001b[2J").out())
                .allSatisfy(
                        line ->
                                assertThat(line.chars().anyMatch(Character::isISOControl))
                                        .isFalse())
                .anySatisfy(line -> assertThat(line).contains("lock \\u001b[2J"));
    }

    @ParameterizedTest
    @CsvSource({"'',/v1/keys/-?key=&limit=10", "..,/v1/keys/-?key=..&limit=10"})
    void keys_that_are_not_valid_path_segments_are_sent_as_a_parameter(String key, String path) {
        explain(key);
        assertThat(api.requests()).containsExactly(path);
    }

    @Test
    void key_and_namespace_are_encoded_in_the_request() {
        explain("a/b c?é", "--namespace", "x y");
        assertThat(api.requests())
                .containsExactly("/v1/keys/a%2Fb%20c%3F%C3%A9?namespace=x%20y&limit=10");
    }

    @Nested
    @DisplayName("Failures")
    class Fails {
        @TempDir private Path folder;

        @Test
        void an_unreachable_server_fails_with_status_3() throws IOException {
            int port;
            try (var probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = probe.getLocalPort();
            }
            Ended ended = explain("k", "--http", "http://127.0.0.1:" + port);
            assertThat(ended.status()).isEqualTo(3);
            assertThat(ended.out()).isEmpty();
            assertThat(ended.err())
                    .containsExactly(
                            "Error: cannot connect to http://127.0.0.1:"
                                    + port
                                    + ": connection refused");
        }

        @ParameterizedTest
        @CsvSource({
            "'', 'the server closed the connection; check that --http is the HTTP address of a"
                    + " Holdfast server, with https:// if it uses TLS'",
            "'error\n', it does not use HTTP; --http must be the HTTP address of the server"
        })
        void a_server_of_another_protocol_fails_with_status_3(String response, String reason)
                throws IOException {
            try (var server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
                Thread.ofVirtual().start(() -> respondAll(server, response));
                Ended ended = explain("k", "--http", "http://127.0.0.1:" + server.getLocalPort());
                assertThat(ended.status()).isEqualTo(3);
                assertThat(ended.err()).singleElement().asString().contains(reason);
            }
        }

        private static void respondAll(ServerSocket server, String response) {
            while (!server.isClosed()) {
                try (var socket = server.accept()) {
                    int _ = socket.getInputStream().read(new byte[4096]);
                    socket.getOutputStream().write(response.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    // the server or the client has closed the connection
                }
            }
        }

        @Test
        void a_missing_or_wrong_token_fails_with_status_3() throws IOException {
            api.refuse("/v1/keys/k", 401, "unauthorized");
            assertThat(explain("k").err())
                    .containsExactly(
                            "Error: " + api.url() + " requires a token: set it with --token-file");
            Path file = Files.writeString(folder.resolve("token"), "sesame\n");
            Ended ended = explain("k", "--token-file", file.toString());
            assertThat(ended.status()).isEqualTo(3);
            assertThat(ended.err())
                    .containsExactly(
                            "Error: "
                                    + api.url()
                                    + " does not accept the token (set it with --token-file)");
            explain(Map.of("HOLDFAST_TOKEN", "simsim"), "k");
            assertThat(api.secrets()).containsExactly("null", "Bearer sesame", "Bearer simsim");
        }

        @Test
        void a_server_that_is_not_holdfast_fails_with_status_3() {
            api.put("/v1/keys/k", "<html>");
            assertThat(explain("k").err())
                    .containsExactly(
                            "Error: "
                                    + api.url()
                                    + " did not return Holdfast JSON (is this the HTTP address of"
                                    + " a Holdfast server?)");
            assertThat(explain("other").status()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--http=ftp://127.0.0.1,ftp://127.0.0.1",
        "--http=127.0.0.1:6389,127.0.0.1:6389",
        "--http=http://a?b,http://a?b",
        "--tls-ca=x,--tls-ca",
        "--limit=x,--limit",
        "--token-file=/no/such,/no/such",
        "--nope,--nope"
    })
    void an_invalid_option_prints_one_line_that_names_it(String arg, String named) {
        Ended ended = explain("k", arg);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).hasSize(2);
        assertThat(ended.err().getFirst()).startsWith("Error: ").contains(named);
    }
}
