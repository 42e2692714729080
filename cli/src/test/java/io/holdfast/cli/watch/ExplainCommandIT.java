package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.json.JsonValue;
import io.holdfast.cli.serve.StandardStreams;

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

    private Ended explain(Map<String, String> environment, String... words) {
        Map<String, String> all = new HashMap<>(environment);
        all.putIfAbsent("HOLDFAST_HTTP", api.url());
        try (StandardStreams streams = new StandardStreams()) {
            int status = InspectionCommands.all(all).get("explain").get().execute(words);
            return new Ended(status, streams.out().lines().toList(), streams.errLines());
        }
    }

    private Ended explain(String... words) {
        return explain(Map.of(), words);
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
    void says_who_holds_and_who_waits_in_order() {
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
                                + " 2026-01-01T00:00:01.000Z), gives up in 3.5s",
                        "       also holds lock b",
                        "       also waits for lock c",
                        "  2. #3 host:3 (lockd), write, waiting for 11s (since"
                                + " 2026-01-01T00:00:01.000Z), gives up in 3.5s",
                        "  last events:",
                        "    2026-01-01T00:00:00.000Z  released   #9, fence 16, after 2.5s",
                        "    2026-01-01T00:00:00.001Z  acquired   #1, fence 17");
    }

    @Test
    void says_what_a_holder_without_a_lease_waits_for_itself() {
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
    void says_that_it_is_a_deadlock() {
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
                                + ". They go on when one of them gives up, is released, or loses"
                                + " its lease.");
        assertThat(ended.out()).containsSequence("", "deadlock:", "  " + cycle);
    }

    @Test
    void calls_a_deadlock_possible_if_somebody_in_it_does_several_things_at_once() {
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
    void says_that_acquires_wait_for_the_end_of_a_restart_quarantine() {
        String page = page("deploy", "", 0, waiter(1, 2), 1);
        api.put("/v1/keys/deploy", page.replaceFirst("\\{", "{\"quarantine_left_s\":8.5,"));
        assertThat(explain("deploy").out().getFirst())
                .isEqualTo(
                        "lock deploy is not granted for another 8.5s, because the server was not"
                                + " stopped cleanly and clients may still hold it: one waits.");
    }

    @Test
    void shows_no_more_than_it_is_asked_for() {
        api.put("/v1/keys/k", page("k", holder(1, "20"), 1, waiter(1, 2), 40));
        assertThat(explain("k", "--limit", "1").out()).contains("  and 39 more waiters");
        assertThat(api.asked()).contains("/v1/keys/k?limit=1");
    }

    @Test
    void lets_nothing_that_a_server_tells_steer_the_terminal() {
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
    void says_that_a_key_is_free() {
        api.refuse("/v1/keys/nobody", 404, "unknown_key");
        Ended ended = explain("nobody");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.out())
                .containsExactly("nobody is free: nobody holds it and nobody waits for it.");
        assertThat(explain("nobody", "--json").out())
                .containsExactly(
                        "{\"key\":\"nobody\",\"in_use\":false,\"explanation\":\"\","
                                + "\"resources\":[],\"connections\":[],\"cycles\":[]}");
    }

    @Test
    void says_that_one_that_was_used_is_free() {
        api.put("/v1/keys/k", page("k", "", 0, "", 0));
        Ended ended = explain("k");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.out().getFirst())
                .isEqualTo("lock k is free: nobody holds it and nobody waits for it.");
    }

    @Test
    void prints_json_that_has_it_all() {
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
    void shows_no_control_character_of_a_name() {
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
    void asks_for_keys_that_no_path_can_hold(String key, String path) {
        explain(key);
        assertThat(api.asked()).containsExactly(path);
    }

    @Test
    void asks_for_any_key_in_any_namespace() {
        explain("a/b c?é", "--namespace", "x y");
        assertThat(api.asked())
                .containsExactly("/v1/keys/a%2Fb%20c%3F%C3%A9?namespace=x%20y&limit=10");
    }

    @Nested
    @DisplayName("fails with status 3")
    class Fails {
        @TempDir private Path folder;

        @Test
        void if_nobody_is_there() throws IOException {
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
            "'', 'the server closed the connection; if that goes on, check that --http is the HTTP"
                    + " address of a server'",
            "'error\n', it does not speak HTTP; --http must be an HTTP address of the server"
        })
        void if_it_speaks_another_protocol(String answer, String reason) throws IOException {
            try (var server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
                Thread.ofVirtual().start(() -> answerAll(server, answer));
                Ended ended = explain("k", "--http", "http://127.0.0.1:" + server.getLocalPort());
                assertThat(ended.status()).isEqualTo(3);
                assertThat(ended.err()).singleElement().asString().contains(reason);
            }
        }

        private static void answerAll(ServerSocket server, String answer) {
            while (!server.isClosed()) {
                try (var socket = server.accept()) {
                    int _ = socket.getInputStream().read(new byte[4096]);
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    // it is closed, or the other side is
                }
            }
        }

        @Test
        void if_the_token_is_missing_or_wrong() throws IOException {
            api.refuse("/v1/keys/k", 401, "unauthorized");
            assertThat(explain("k").err())
                    .containsExactly(
                            "Error: "
                                    + api.url()
                                    + " requires a token: give --token-file (--token-file gives"
                                    + " it)");
            Path file = Files.writeString(folder.resolve("token"), "sesame\n");
            Ended ended = explain("k", "--token-file", file.toString());
            assertThat(ended.status()).isEqualTo(3);
            assertThat(ended.err())
                    .containsExactly(
                            "Error: "
                                    + api.url()
                                    + " does not accept the token (--token-file gives it)");
            explain(Map.of("HOLDFAST_TOKEN", "simsim"), "k");
            assertThat(api.secrets()).containsExactly("null", "Bearer sesame", "Bearer simsim");
        }

        @Test
        void if_it_is_no_holdfast() {
            api.put("/v1/keys/k", "<html>");
            assertThat(explain("k").err())
                    .containsExactly("Error: " + api.url() + " does not answer as Holdfast does");
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
    void says_in_one_line_what_it_cannot_use(String word, String named) {
        Ended ended = explain("k", word);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).hasSize(2);
        assertThat(ended.err().getFirst()).startsWith("Error: ").contains(named);
    }
}
