package io.holdfast.socketlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

@DisplayName("The embedded primary")
@Timeout(120)
class PrimaryProtocolIT {
    private static final LockConfig CONFIG =
            LockConfig.builder().maxTtl(Duration.ofSeconds(5)).build();

    @TempDir private Path folder;
    private Path socket;
    private RunningPrimary primary;

    @BeforeEach
    void start() throws Exception {
        socket = folder.resolve("lock.sock");
        primary = new RunningPrimary(socket, CONFIG);
    }

    @AfterEach
    void stop() throws Exception {
        primary.close();
    }

    @Test
    void a_primary_responds_to_both_greetings_and_keeps_the_first_id() throws Exception {
        try (var both = new ScriptedLineClient(socket);
                var assigned = new ScriptedLineClient(socket)) {
            both.send("me HELLO", "HELLO", "me HELLO", "you HELLO", "you PING");
            assertThat(List.of(both.line(), both.line(), both.line()))
                    .containsExactly("me CONNECTED", "CONNECTED me", "me CONNECTED");
            both.expectNothing("me");

            assigned.send("EOL", "PING", "x PING", "x REQREAD l", "HELLO");
            String greeting = assigned.line();
            assertThat(greeting).matches("CONNECTED c[0-9a-f]{16}-[0-9]+");
            String id = greeting.substring("CONNECTED ".length());
            assigned.send("HELLO", id + " HELLO");
            assertThat(List.of(assigned.line(), assigned.line())).containsOnly(greeting);
            assigned.send("x HELLO", "EOL", id, id + " ping", id + " CONFIRM", id + " STATUS");
            assigned.expectNothing(id);
        }
    }

    @Test
    void ids_are_echoed_byte_for_byte() throws Exception {
        try (var peer = ScriptedLineClient.named(socket, "\u00ff\u0000\u00e9\u00a0")) {
            peer.send("\u00ff\u0000\u00e9\u00a0 REQREAD \u0080\u0000~");
            assertThat(peer.line()).isEqualTo("\u00ff\u0000\u00e9\u00a0 READLOCK \u0080\u0000~");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-1",
                "1.5",
                "2s",
                "abc",
                "0x1",
                "1_0",
                "\u00b2",
                "99999999999999999999",
                "-0",
                "+",
                "-"
            })
    void a_time_to_live_that_is_no_positive_number_is_refused(String seconds) throws Exception {
        try (var peer = ScriptedLineClient.named(socket, "me")) {
            peer.send("me REQREAD l " + seconds);
            assertThat(peer.line()).isEqualTo("me REQFAIL invalid ttl");
            peer.send("me RELEASE l");
            assertThat(peer.line()).isEqualTo("me REQFAIL invalid lock id");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"6", "9223372036", "9223372037", "18446744074", "9223372036854775807"})
    void a_time_to_live_over_the_maximum_is_refused(String seconds) throws Exception { // H7
        try (var peer = ScriptedLineClient.named(socket, "me")) {
            peer.send("me REQWRITE l " + seconds);
            assertThat(peer.line()).isEqualTo("me REQFAIL timeout too long");
        }
    }

    @Test
    void the_longest_time_to_live_is_accepted_without_a_maximum() throws Exception {
        Path other = folder.resolve("other.sock");
        try (var free = new RunningPrimary(other);
                var peer = ScriptedLineClient.named(free.path(), "me")) {
            peer.send("me REQWRITE l 9223372036854775807", "me CONFIRM l", "me STATUS l");
            assertThat(List.of(peer.line(), peer.line()))
                    .containsExactly("me WRITELOCK l", "me LOCKOK l");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "+2", "0002", "5"})
    void a_time_to_live_up_to_the_maximum_is_accepted(String seconds) throws Exception {
        try (var peer = ScriptedLineClient.named(socket, "me")) {
            peer.send("me REQWRITE l " + seconds + " ignored");
            assertThat(peer.line()).isEqualTo("me WRITELOCK l");
        }
    }

    @Test
    void lines_are_sent_in_the_order_of_their_events() throws Exception {
        try (var peer = ScriptedLineClient.named(socket, "me")) {
            peer.send("me REQWRITE l", "me PING", "me REQREAD m", "me REJECT l", "me PING");
            assertThat(List.of(peer.line(), peer.line(), peer.line(), peer.line(), peer.line()))
                    .containsExactly(
                            "me WRITELOCK l",
                            "me PONG",
                            "me REQFAIL offer rejected",
                            "me READLOCK m",
                            "me PONG");
        }
    }

    @Test
    void all_fields_after_the_verb_are_the_lock_id() throws Exception {
        try (var peer = ScriptedLineClient.named(socket, "me")) {
            peer.send("me REQREAD l1", "me CONFIRM l1 please", "me \t STATUS one   two\r");
            assertThat(List.of(peer.line(), peer.line(), peer.line()))
                    .containsExactly(
                            "me READLOCK l1",
                            "me REQFAIL invalid lock id",
                            "me LOCKTIMEOUT one two");
        }
    }

    @Test
    void a_lock_id_in_use_is_refused_and_the_end_of_the_connection_frees_all() // H5
            throws Exception {
        try (var holder = ScriptedLineClient.named(socket, "me");
                var next = ScriptedLineClient.named(socket, "me")) {
            holder.send("me REQWRITE l", "me REQWRITE l", "me CONFIRM l", "me REQREAD l");
            assertThat(List.of(holder.line(), holder.line(), holder.line()))
                    .containsExactly(
                            "me WRITELOCK l",
                            "me REQFAIL invalid lock id",
                            "me REQFAIL invalid lock id");
            next.send("me REQWRITE l");
            next.expectNothing("me");
            holder.send("me EOL now", "me PING");
            holder.expectEnd();
            assertThat(next.line()).isEqualTo("me WRITELOCK l");
        }
    }

    @Test
    void the_end_of_input_is_the_end_of_the_connection() throws Exception {
        try (var holder = ScriptedLineClient.named(socket, "a");
                var next = ScriptedLineClient.named(socket, "b")) {
            holder.send("a REQWRITE l", "a CONFIRM l");
            assertThat(holder.line()).isEqualTo("a WRITELOCK l");
            next.send("b REQWRITE l");
            holder.sendRaw("a RELEASE l"); // without a line feed: never executed
            next.expectNothing("b");
            holder.shutdownOutput();
            holder.expectEnd();
            assertThat(next.line()).isEqualTo("b WRITELOCK l");
        }
    }

    @Test
    void a_line_over_the_limit_closes_the_connection() throws Exception {
        try (var longest = ScriptedLineClient.named(socket, "a");
                var tooLong = ScriptedLineClient.named(socket, "b");
                var endless = ScriptedLineClient.named(socket, "c")) {
            String lockId = "x".repeat(PrimarySyntax.MAX_BYTES - "a STATUS ".length());
            longest.send("a STATUS " + lockId);
            assertThat(longest.line()).isEqualTo("a LOCKTIMEOUT " + lockId);
            tooLong.send("b STATUS x" + lockId, "b PING");
            tooLong.expectEnd();
            endless.sendRaw("c" + " ".repeat(PrimarySyntax.MAX_BYTES));
            endless.expectEnd();
        }
    }

    @Test
    void the_number_of_lock_ids_of_a_connection_is_limited() throws Exception {
        try (var peer = ScriptedLineClient.named(socket, "me")) {
            peer.send("me REQREAD 0x");
            assertThat(peer.line()).isEqualTo("me READLOCK 0x");
            for (int i = 1; i < LockTable.MAX_REQUESTS; i++) {
                peer.send("me REQWRITE " + i + "x");
            }
            peer.expectNothing("me");
            peer.send("me REQREAD y");
            assertThat(peer.line()).isEqualTo("me REQFAIL too many requests");
            peer.send("me REJECT 7x", "me REQREAD y");
            peer.expectNothing("me");
        }
    }

    @Test
    void each_hold_has_a_greater_token_than_all_before() throws Exception {
        try (var peer = ScriptedLineClient.named(socket, "me")) {
            peer.send("me EPOCH");
            assertThat(peer.line()).matches("me EPOCH [0-9]+");
            peer.send("me REQREAD l", "me TOKEN l", "me CONFIRM l", "me TOKEN l");
            assertThat(peer.line()).isEqualTo("me READLOCK l");
            assertThat(peer.line()).isEqualTo("me LOCKTIMEOUT l");
            String first = peer.line();
            peer.send("me RELEASE l", "me REQWRITE m", "me CONFIRM m", "me TOKEN m");
            assertThat(peer.line()).isEqualTo("me WRITELOCK m");
            String second = peer.line();
            assertThat(Long.parseLong(second.substring("me TOKEN m ".length())))
                    .isGreaterThan(Long.parseLong(first.substring("me TOKEN l ".length())));
            peer.send("me EPOCH x", "me TOKEN", "me TOKEN m m", "me REASSERT", "me SETTLED x");
            peer.send("me REASSERT q WRITE 1", "me PROCESS", "me PROCESS odd", "me SETTLED");
            peer.expectNothing("me");
        }
    }

    @Test
    void requests_are_served_in_the_order_of_arrival() throws Exception { // H20
        try (var holder = ScriptedLineClient.named(socket, "h");
                var a = ScriptedLineClient.named(socket, "a");
                var b = ScriptedLineClient.named(socket, "b")) {
            for (int i = 0; i < 100; i++) {
                holder.send("h REQWRITE l", "h CONFIRM l");
                assertThat(holder.line()).isEqualTo("h WRITELOCK l");
                a.send("a REQWRITE l");
                a.expectNothing("a"); // the barrier
                b.send("b REQWRITE l");
                b.expectNothing("b");
                holder.send("h RELEASE l");
                assertThat(a.line()).isEqualTo("a WRITELOCK l");
                a.send("a REJECT l");
                assertThat(a.line()).isEqualTo("a REQFAIL offer rejected");
                assertThat(b.line()).isEqualTo("b WRITELOCK l");
                b.send("b RELEASE l");
                b.expectNothing("b");
            }
        }
    }

    @Test
    void the_next_waiter_is_served_when_a_holder_disconnects() throws Exception { // H22
        try (var a = ScriptedLineClient.named(socket, "a");
                var b = ScriptedLineClient.named(socket, "b")) {
            for (ScriptedLineClient peer : List.of(a, b)) {
                try (var holder = ScriptedLineClient.named(socket, "h")) {
                    holder.send("h REQREAD l", "h CONFIRM l", "h REQREAD m");
                    assertThat(holder.line()).isEqualTo("h READLOCK l");
                    String name = peer.equals(a) ? "a" : "b";
                    peer.send(name + " REQWRITE l");
                    peer.expectNothing(name);
                }
                assertThat(peer.line()).endsWith(" WRITELOCK l");
                peer.close();
            }
        }
    }

    @Test
    void the_listener_is_notified_of_all_events() throws Exception {
        List<LockEvent> events = new CopyOnWriteArrayList<>();
        Path other = folder.resolve("other.sock");
        var config =
                LockConfig.builder()
                        .listener(
                                event -> {
                                    events.add(event);
                                    throw new IllegalStateException("of the listener");
                                })
                        .build();
        try (var watched = new RunningPrimary(other, config)) {
            try (var peer = ScriptedLineClient.named(watched.path(), "me")) {
                peer.send("me REQREAD l 7", "me CONFIRM l", "me STATUS l", "me RELEASE l");
                peer.send("me REQWRITE", "me RELEASE l", "me REQREAD a b", "me PING");
                await().until(() -> peer.line().equals("me PONG"));
            }
            await().until(() -> events.size() >= 15);
        }
        assertThat(events.stream().map(event -> event.type().text()))
                .containsExactly(
                        "hello",
                        "client_connected",
                        "connected",
                        "lock_requested",
                        "lock_offered",
                        "lock_confirmed",
                        "status_ok",
                        "lock_released",
                        "lock_requested",
                        "lock_offered",
                        "request_failed",
                        "request_failed",
                        "ping",
                        "pong",
                        "client_disconnected");
        assertThat(events).allMatch(event -> event.clientId().equals("me"));
        assertThat(events.get(3).ttl()).isEqualTo(Duration.ofSeconds(7));
        assertThat(events.get(4))
                .returns("l", LockEvent::lockId)
                .returns(LockMode.READ, LockEvent::mode);
        assertThat(events.get(10).reason()).isEqualTo("invalid lock id");
    }
}
