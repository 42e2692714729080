package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.serve.StandardStreams;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.List;
import java.util.Map;

@DisplayName("holdfast top --once")
class TopCommandIT {
    static final String KEYS =
            """
            {"total":2,"keys":[
             {"kind":"lock","namespace":"","key":"deploy","limit":1,"holders":1,"waiters":3,
              "holder":{"connection":12,"name":"127.0.0.1:5123","protocol":"dflockd",
               "mode":"write","fence":"17"},"held_s":12.345,"lease_left_s":20.6},
             {"kind":"semaphore","namespace":"tenant","key":"odd\\u001b[2J","limit":3,"holders":0,
              "waiters":0,"holder":null,"held_s":null,"lease_left_s":null}]}
            """;
    static final String CONNECTIONS =
            """
            {"total":1,"connections":[{"connection":12,"name":"127.0.0.1:5123",
             "protocol":"dflockd","open_s":90,"holds":1,"waits":0}]}
            """;
    static final String WAITS =
            """
            {"waits":[
             {"connection":1,"name":"host:1","protocol":"dflockd","kind":"lock","namespace":"",
              "key":"b","mode":"write","position":1,"waited_s":5,
              "blocked_by":[{"connection":2,"name":"host:2"}]},
             {"connection":2,"name":"host:2","protocol":"lockd","kind":"lock","namespace":"",
              "key":"a","mode":"write","position":1,"waited_s":6,
              "blocked_by":[{"connection":1,"name":"host:1"}]}],
             "cycles":[[
              {"connection":1,"name":"host:1","protocol":"dflockd","kind":"lock",
               "namespace":"","key":"b"},
              {"connection":2,"name":"host:2","protocol":"lockd","kind":"lock",
               "namespace":"","key":"a"}]],"truncated":false}
            """;
    private static final String NUMBERS =
            "1 DEADLOCK, waiting 3, longest wait 6.0s, wait p99 13ms, held 3, acquired 120/s,"
                    + " timeouts 2/s, lost 0/s";

    private FakeApi api;

    @BeforeEach
    void start() throws IOException {
        api = new FakeApi();
        api.put("/v1/keys", KEYS).put("/v1/connections", CONNECTIONS).put("/v1/waits", WAITS);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private List<String> top(String... args) {
        Map<String, String> environment = Map.of("HOLDFAST_HTTP", api.url(), "TERM", "xterm");
        try (StandardStreams streams = new StandardStreams()) {
            int status = InspectionCommands.all(environment).get("top").get().execute(args);
            assertThat(streams.errLines()).isEmpty();
            assertThat(status).isZero();
            return streams.out().lines().toList();
        }
    }

    private String head() {
        return "Holdfast 1.2.3 at " + api.url() + ", up 12m05s, connections 4";
    }

    @Test
    void top_once_prints_a_table_of_keys() {
        assertThat(top("--once"))
                .containsExactly(
                        head(),
                        NUMBERS,
                        "keys 1-2 of 2, most waiters first",
                        "KEY                   KIND       HELD  WAITING  HOLDER"
                                + "                        FOR  LEASE",
                        "deploy                lock          1        3  #12 127.0.0.1:5123"
                                + " (dflockd)  12s    20s",
                        "tenant: odd\\u001b[2J  semaphore   0/3        0  -"
                                + "                               -      -");
        assertThat(api.requests()).contains("/v1/keys?sort=waiters&order=desc&offset=0&limit=20");
    }

    @Test
    void without_waiters_deadlocks_are_not_requested() {
        api.put("/v1/overview", FakeApi.OVERVIEW.replace("\"longest_wait_s\":6", "\"x\":null"));
        assertThat(top("--once").get(1)).startsWith("waiting 3, longest wait -, ");
        assertThat(api.requests()).noneMatch(it -> it.startsWith("/v1/waits"));
    }

    @Test
    void top_shows_a_restart_quarantine_in_the_first_line() {
        api.put(
                "/v1/overview",
                FakeApi.OVERVIEW.replaceFirst("\\{", "{\"quarantine_left_s\":8.5,"));
        assertThat(top("--once").getFirst()).endsWith(", RESTART QUARANTINE for 8.5s");
    }

    @Test
    void top_once_prints_connections() {
        assertThat(top("--once", "--view", "connections"))
                .containsExactly(
                        head(),
                        NUMBERS,
                        "connections 1-1 of 1, most waits first",
                        "NAME            NUMBER  PROTOCOL  HOLDS  WAITS   OPEN",
                        "127.0.0.1:5123     #12  dflockd       1      0  1m30s");
    }

    @Test
    void a_cycle_with_concurrent_requests_is_a_possible_deadlock() {
        api.put("/v1/waits", WAITS.replace("\"key\":\"a\"}", "\"key\":\"a\",\"concurrent\":true}"));
        assertThat(top("--view", "waits")).anyMatch(it -> it.startsWith("POSSIBLE DEADLOCK: #1"));
        assertThat(top("--once").get(1)).startsWith("1 POSSIBLE DEADLOCK, waiting 3, ");
    }

    @Test
    void possible_deadlocks_are_counted_separately() {
        String self =
                "[{\"connection\":1,\"kind\":\"lock\",\"namespace\":\"\",\"key\":\"a\",\"concurrent\":true}],";
        api.put("/v1/waits", WAITS.replace("\"cycles\":[", "\"cycles\":[" + self + self));
        assertThat(top("--once").get(1))
                .startsWith("1 DEADLOCK, 2 POSSIBLE DEADLOCKS, waiting 3, ");
    }

    @Test
    void top_once_prints_waits_and_deadlocks() {
        assertThat(top("--once", "--view", "waits"))
                .containsExactly(
                        head(),
                        NUMBERS,
                        "waits 1-2 of 2, longest wait first",
                        "DEADLOCK: #1 host:1 (dflockd) waits for lock b, which #2 host:2 (lockd)"
                                + " holds; #2 waits for lock a, which #1 holds",
                        "WAITER               FOR     POS  SINCE  BLOCKED BY",
                        "#2 host:2 (lockd)    lock a    1   6.0s  #1 host:1",
                        "#1 host:1 (dflockd)  lock b    1   5.0s  #2 host:2");
        assertThat(top("--once", "--view", "waits", "--filter", "B", "--sort=key", "--reverse"))
                .contains("waits 1-1 of 1, by key, reversed, with \"B\"");
    }

    @Test
    void control_characters_from_the_server_are_escaped() {
        String odd = "\\u001b[2J\\u009b\\u202e";
        api.put("/v1/keys", KEYS.replace("deploy", odd).replace("\"lock\"", '"' + odd + '"'));
        api.put("/v1/waits", WAITS.replace("\"lock\"", '"' + odd + '"'));
        api.put("/v1/overview", FakeApi.OVERVIEW.replace("1.2.3", odd));
        for (String view : List.of("keys", "waits")) {
            assertThat(String.join("", top("--once", "--view", view)).codePoints())
                    .noneMatch(c -> Character.isISOControl(c) || c == 0x202e);
        }
    }

    @Test
    void the_offset_is_limited_to_the_maximum_of_the_server() {
        TopQuery topQuery = new TopQuery(TopView.KEYS, 0, false, "", 0, 20);
        assertThat(topQuery.from(Integer.MAX_VALUE).parameters()).containsEntry("offset", "100000");
        assertThat(topQuery.from(-1).parameters()).containsEntry("offset", "0");
    }

    @Test
    void without_a_terminal_top_prints_one_table() {
        assertThat(top().getFirst()).isEqualTo(head());
    }

    @Test
    void options_are_sent_as_query_parameters() {
        top("--once", "--sort", "lease", "--reverse", "--filter", "a b", "--limit", "7");
        assertThat(api.requests())
                .contains("/v1/keys?q=a%20b&sort=lease&order=desc&offset=0&limit=7");
    }

    @ParameterizedTest
    @CsvSource({
        "--sort=nope,'waiters, held, lease, key'",
        "--view=nope,--view",
        "--interval=x,--interval",
        "--limit=30000,20000"
    })
    void an_invalid_option_prints_one_line_that_names_it(String arg, String named) {
        try (StandardStreams streams = new StandardStreams()) {
            assertThat(InspectionCommands.all(Map.of()).get("top").get().execute(arg)).isEqualTo(2);
            assertThat(streams.errLines()).hasSize(2);
            assertThat(streams.errLines().getFirst()).contains(named);
        }
    }
}
