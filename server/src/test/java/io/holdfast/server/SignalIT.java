package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

@DisplayName("A signal")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Timeout(120)
class SignalIT {
    private final IoTransport ioTransport;
    private TestServer server;
    private TestClient emitter;

    SignalIT(IoTransport ioTransport) {
        this.ioTransport = ioTransport;
        start(new TestConfig());
    }

    private void start(TestConfig config) {
        server = TestServer.start(config.transport(ioTransport));
        emitter = server.connect();
    }

    private void restart(TestConfig config) {
        server.close();
        start(config);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void emit(String channel, String payload, int receivers) {
        assertThat(emitter.request("signal", channel, payload))
                .as(channel + " " + payload)
                .isEqualTo("ok " + receivers);
    }

    /** Checks that the client receives nothing but the response to its next request. */
    private static void assertSilent(TestClient client) {
        client.assertServed();
    }

    // ---- patterns and channels

    @Test
    void a_signal_is_delivered_where_a_pattern_matches_and_nowhere_else() {
        Map<String, List<String>> received = new TreeMap<>();
        received.put("a", List.of("a"));
        received.put("a.b", List.of("a.b"));
        received.put("a..b", List.of("a..b"));
        received.put("*", List.of("a", "b"));
        received.put("a.*", List.of("a.b", "a."));
        received.put("*.b", List.of("a.b", ".b"));
        received.put("*.*", List.of("a.b", "a.", ".b", "."));
        received.put("a.*.b", List.of("a..b", "a.x.b"));
        received.put("a.>", List.of("a.b", "a.", "a..b", "a.x.b", "a.x.y.z"));
        received.put("a.*.>", List.of("a..b", "a.x.b", "a.x.y.z"));
        received.put("*.x.>", List.of("a.x.b", "a.x.y.z", "b.x.b"));
        List<String> channels =
                List.of("a", "b", "a.b", "a.", ".b", ".", "a..b", "a.x.b", "a.x.y.z", "b.x.b");
        received.put(">", channels);
        received.forEach(
                (pattern, expected) -> {
                    TestClient listener = server.connect().listen(pattern);
                    for (String channel : channels) {
                        boolean matches = expected.contains(channel);
                        emit(channel, "for " + pattern, matches ? 1 : 0);
                        if (matches) {
                            assertThat(listener.line())
                                    .isEqualTo("sig " + channel + " for " + pattern);
                        }
                    }
                    assertSilent(listener);
                    assertThat(listener.request("unlisten", pattern, "")).isEqualTo("ok");
                });
    }

    @Test
    void a_pattern_with_a_misplaced_wildcard_is_refused() {
        TestClient listener = server.connect();
        for (String pattern :
                new String[] {
                    "a.>.b", ">.a", "fo*", "*o", "**", ">>", ">x", "a.b>", "a.*b.c", "", "a b",
                    "a\t"
                }) {
            assertThat(listener.request("listen", pattern, "")).as(pattern).isEqualTo("error");
            assertThat(listener.request("listen", pattern, "group")).as(pattern).isEqualTo("error");
        }
        assertThat(server.stats().entries("signal_channels")).isEmpty();
    }

    @Test
    void a_signal_with_a_bad_channel_or_without_payload_is_refused() {
        TestClient listener = server.connect().listen(">");
        for (String channel : new String[] {"a.*", "*", ">", "a>b", "a*b", "", "a b"}) {
            assertThat(emitter.request("signal", channel, "x")).as(channel).isEqualTo("error");
        }
        for (String payload : new String[] {"", " ", "\t", " \t  ", "\u00c2\u00a0", "\r"}) {
            assertThat(emitter.request("signal", "a", payload)).as(payload).isEqualTo("error");
        }
        emitter.assertServed();
        assertSilent(listener);
    }

    @Test
    void a_signal_carries_its_bytes_unchanged() {
        TestClient listener = server.connect().listen(">");
        for (String payload :
                new String[] {
                    " x",
                    "x ",
                    "  a  b  ",
                    "\tx\t",
                    "x\ry",
                    "\0",
                    "\u00ff\u00fe\u0080",
                    "a\u000bb",
                    "sig a b",
                    "{\"json\":\"<>\"}",
                    "\u00e2\u0082\u00ac"
                }) {
            emit("a", payload, 1);
            assertThat(listener.rawLine()).isEqualTo("sig a " + payload);
        }
        emit("\u00ff\u0001", "x", 1);
        assertThat(listener.rawLine()).isEqualTo("sig \u00ff\u0001 x");
        assertThat(emitter.sendRaw("signal\r\na\r\nx\r\r\n").line()).isEqualTo("ok 1");
        assertThat(listener.rawLine()).isEqualTo("sig a x");
    }

    @Test
    void a_signal_may_be_as_long_as_a_pushed_line_of_64_KiB() {
        TestClient listener = server.connect().listen("long");
        String longest = "x".repeat(65536 - 5 - 4);
        emit("long", longest, 1);
        assertThat(listener.line()).isEqualTo("sig long " + longest);
        assertThat(emitter.request("signal", "long", longest + "x")).isEqualTo("error");
        assertThat(emitter.request("signal", "long", "x".repeat(65536))).isEqualTo("error");
        emitter.assertServed();
        assertSilent(listener);
        emitter.sendIfOpen("signal\nlong\n" + "x".repeat(65537) + "\n");
        assertThat(emitter.rest()).isEqualTo("error\n");
    }

    @Test
    void a_signal_without_listeners_is_answered_and_not_stored() {
        emit("a", "early", 0);
        TestClient listener = server.connect().listen("a");
        emit("a", "late", 1);
        assertThat(listener.line()).isEqualTo("sig a late");
    }

    // ---- subscriptions

    @Test
    void unlisten_ends_exactly_that_subscription() {
        TestClient listener = server.connect().listen("a").listen("a", "g").listen("a", "h");
        listener.listen("*");
        for (String[] other : new String[][] {{"a", "x"}, {"b", ""}, {"a.>", ""}, {"*", "g"}}) {
            assertThat(listener.request("unlisten", other[0], other[1])).isEqualTo("ok");
        }
        assertThat(server.stats().listeners("a")).isEqualTo(3);
        for (String group : new String[] {"", " g\t", "h"}) {
            assertThat(listener.request("unlisten", "a", group)).isEqualTo("ok");
            emit("a", "still", 1);
            assertThat(listener.line()).isEqualTo("sig a still");
        }
        assertThat(server.stats().listeners("a")).isZero();
        assertThat(listener.request("unlisten", "*", "")).isEqualTo("ok");
        emit("a", "gone", 0);
        assertSilent(listener);
    }

    @Test
    void unlisten_succeeds_without_a_subscription_or_with_an_invalid_pattern() {
        TestClient client = server.connect();
        for (String pattern : new String[] {"a", "*", "fo*", "a.>.b"}) {
            assertThat(client.request("unlisten", pattern, "")).isEqualTo("ok");
        }
        assertThat(client.request("unlisten", "", "")).isEqualTo("error");
        assertThat(client.request("unlisten", "a b", "g")).isEqualTo("error");
    }

    @Test
    void unlisten_does_not_end_the_subscription_of_another_connection() {
        TestClient first = server.connect().listen("a");
        TestClient second = server.connect().listen("a");
        assertThat(first.request("unlisten", "a", "")).isEqualTo("ok");
        emit("a", "x", 1);
        assertThat(second.line()).isEqualTo("sig a x");
        assertSilent(first);
    }

    @Test
    void subscriptions_are_limited_and_a_repeated_one_counts_once() {
        restart(new TestConfig().maxSubscriptions(3));
        TestClient listener = server.connect().listen("a").listen("a", "g").listen("*");
        for (int i = 0; i < 3; i++) {
            assertThat(listener.request("listen", "b", "")).isEqualTo("error");
            listener.listen("a").listen("a", " g ").listen("*");
        }
        assertThat(server.stats().listeners("a")).isEqualTo(2);
        assertThat(server.stats().listeners("*")).isEqualTo(1);
        server.connect().listen("b"); // the limit applies to each connection
        assertThat(listener.request("unlisten", "a", "")).isEqualTo("ok");
        listener.listen("b");
        assertThat(listener.request("listen", "c", "")).isEqualTo("error");
        emit("b", "x", 2);
        assertThat(listener.line()).isEqualTo("sig b x");
    }

    // ---- recipients

    @Test
    void a_signal_reaches_a_connection_once_however_many_of_its_patterns_match() {
        TestClient many = server.connect();
        for (String pattern : new String[] {"a.b", "a.*", "*.b", "a.>", ">"}) {
            many.listen(pattern).listen(pattern, "g");
        }
        TestClient one = server.connect().listen("a.b");
        TestClient member = server.connect().listen("a.*", "g");
        for (int i = 0; i < 4; i++) {
            emit("a.b", "n" + i, 3);
            for (TestClient client : new TestClient[] {many, one, member}) {
                assertThat(client.line()).isEqualTo("sig a.b n" + i);
            }
        }
        assertSilent(many);
        assertSilent(member);
    }

    @Test
    void a_signal_goes_to_one_member_of_each_group_in_turn() {
        TestClient a = server.connect().listen("jobs", "g");
        TestClient b = server.connect().listen("jobs", "g");
        TestClient other = server.connect().listen("jobs", "other group");
        TestClient wild = server.connect().listen("*", "g"); // a different group
        TestClient alone = server.connect().listen("jobs");
        for (int i = 0; i < 6; i++) {
            emit("jobs", "n" + i, 4);
            assertThat((i % 2 == 0 ? a : b).line()).isEqualTo("sig jobs n" + i);
            for (TestClient each : new TestClient[] {other, wild, alone}) {
                assertThat(each.line()).isEqualTo("sig jobs n" + i);
            }
        }
        assertSilent(a);
        assertSilent(b);
    }

    @Test
    void a_signal_goes_to_the_next_group_member_if_the_first_has_already_got_it() {
        TestClient both = server.connect().listen("jobs").listen("jobs", "g");
        TestClient member = server.connect().listen("jobs", "g");
        for (int i = 0; i < 4; i++) {
            emit("jobs", "n" + i, 2);
            assertThat(both.line()).isEqualTo("sig jobs n" + i);
            assertThat(member.line()).isEqualTo("sig jobs n" + i);
        }
        assertThat(member.request("unlisten", "jobs", "g")).isEqualTo("ok");
        emit("jobs", "last", 1); // every member of the group has got it
        assertThat(both.line()).isEqualTo("sig jobs last");
        assertSilent(both);
    }

    @Test
    void the_turn_of_a_group_is_kept_when_a_member_leaves() {
        TestClient a = server.connect().listen("jobs", "g");
        TestClient b = server.connect().listen("jobs", "g");
        TestClient c = server.connect().listen("jobs", "g");
        emit("jobs", "0", 1);
        assertThat(a.line()).isEqualTo("sig jobs 0");
        a.close();
        server.awaitListeners("jobs", 2);
        emit("jobs", "1", 1); // turn 1 of two: b, c
        assertThat(c.line()).isEqualTo("sig jobs 1");
        emit("jobs", "2", 1);
        assertThat(b.line()).isEqualTo("sig jobs 2");
        b.close();
        c.close();
        server.awaitListeners("jobs", 0);
        TestClient d = server.connect().listen("jobs", "g");
        TestClient e = server.connect().listen("jobs", "g");
        emit("jobs", "3", 1); // a new group starts with its first member
        assertThat(d.line()).isEqualTo("sig jobs 3");
        emit("jobs", "4", 1);
        assertThat(e.line()).isEqualTo("sig jobs 4");
    }

    @Test
    void a_signal_reaches_its_emitter_if_it_listens() {
        emitter.listen("a");
        emitter.send("signal", "a", "x");
        assertThat(List.of(emitter.line(), emitter.line()))
                .containsExactlyInAnyOrder("ok 1", "sig a x");
    }

    @Test
    void a_signal_reaches_a_listener_that_is_blocked() {
        TestClient holder = server.connect();
        String lock = holder.acquire("k");
        String slot = TestClient.token(holder.request("sl", "s", "0 1"));
        List<TestClient> blocked = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            blocked.add(server.connect().listen("news.>"));
        }
        blocked.get(0).send("l", "k", "60 11");
        server.awaitWaiters("k", 1);
        assertThat(blocked.get(1).request("e", "k", "12")).isEqualTo("queued");
        blocked.get(1).send("w", "k", "60");
        blocked.get(2).send("sl", "s", "60 1 13");
        server.awaitWaiters("s", 1);
        assertThat(blocked.get(3).request("se", "s", "1 14")).isEqualTo("queued");
        blocked.get(3).send("sw", "s", "60");
        server.awaitWaiters("k", 2);
        server.awaitWaiters("s", 2);

        String large = "x".repeat(60_000);
        for (String payload : new String[] {"small", large}) {
            emit("news.now", payload, 4);
            for (TestClient client : blocked) {
                assertThat(client.line()).isEqualTo("sig news.now " + payload);
            }
        }
        assertThat(holder.request("r", "k", lock)).isEqualTo("ok");
        assertThat(holder.request("sr", "s", slot)).isEqualTo("ok");
        for (int i : new int[] {0, 2}) { // the other two were queued behind them
            assertThat(blocked.get(i).line()).matches("ok [0-9a-f]{32} 1" + (i + 1));
            blocked.get(i).close();
            assertThat(blocked.get(i + 1).line()).matches("ok [0-9a-f]{32} 1" + (i + 2));
        }
    }

    /** Its own signals are written before the connection is closed after the end of input. */
    @Test
    void a_signal_reaches_its_half_closed_emitter() {
        for (int i = 0; i < 20; i++) {
            try (TestClient client = server.connect()) {
                client.sendRaw("listen\na\n\nsignal\na\nx\nping\n\n\nsignal\na\ny\n").halfClose();
                assertThat(client.rest().lines())
                        .containsExactlyInAnyOrder("ok", "ok 1", "ok", "ok 1", "sig a x", "sig a y")
                        .containsSubsequence("ok", "ok 1", "ok", "ok 1")
                        .containsSubsequence("ok", "sig a x", "sig a y");
            }
        }
        server.awaitListeners("a", 0);
    }

    // ---- before and after

    @Test
    void signals_can_be_sent_and_received_only_after_authentication() {
        restart(new TestConfig().secret("open"));
        for (String command : new String[] {"listen", "unlisten", "signal", "get"}) {
            TestClient stranger = server.connect();
            stranger.send(command, "a", "x");
            assertThat(stranger.rest()).isEqualTo("error_auth\n");
        }
        assertThat(emitter.request("auth", "", "open")).isEqualTo("ok");
        emit("a", "x", 0);
        TestClient listener = server.connect();
        assertThat(listener.request("auth", "", "open")).isEqualTo("ok");
        listener.listen("a");
        emit("a", "y", 1);
        assertThat(listener.line()).isEqualTo("sig a y");
    }

    @Test
    void a_signal_does_not_extend_the_read_timeout_of_its_listener() {
        restart(new TestConfig().readTimeout(Duration.ofMillis(900)));
        TestClient idle = server.connect().listen("a");
        TestClient pinging = server.connect().listen("a");
        int received = 0;
        for (String response = ""; !response.equals("ok 1"); received++) {
            pinging.assertServed();
            response = emitter.request("signal", "a", "x");
            assertThat(response).isIn("ok 1", "ok 2");
            assertThat(pinging.line()).isEqualTo("sig a x");
        }
        assertThat(received).isGreaterThan(1);
        assertThat(server.stats().listeners("a")).isEqualTo(1);
        List<String> lines = idle.rest().lines().toList();
        assertThat(lines).containsOnly("sig a x", "error").containsOnlyOnce("error");
        assertThat(lines).hasSizeBetween(received - 1, received); // one may have arrived too late
    }
}
