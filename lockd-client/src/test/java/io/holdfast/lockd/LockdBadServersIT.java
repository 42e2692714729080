package io.holdfast.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

@DisplayName("A client of a server that misbehaves")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class LockdBadServersIT {
    private static final Duration SHORT = Duration.ofMillis(100);

    /** The read timeout after which a listing ends: long enough for a busy machine. */
    private static final Duration LISTING = Duration.ofMillis(1500);

    private static final Duration ENDLESS = Duration.ofHours(1);

    @Test
    void listings_are_read_although_commands_sent_together_get_lost() throws Exception {
        var lines = "a: 1\nb: 2\n";
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    while (true) {
                                        String line = peer.onlyLine();
                                        peer.send(ScriptedReplies.to("d", lines).apply(line));
                                    }
                                });
                var client = client(server, LISTING)) {
            assertThat(client.dump()).containsEntry("a", "1").containsEntry("b", "2");
            assertThat(client.dumpShared()).isEmpty();
            assertThat(client.dump("free")).isEmpty();
            assertThat(client.tryGet("x")).isTrue();
        }
    }

    @Test
    void disabled_listings_are_reported_although_commands_sent_together_get_lost()
            throws Exception {
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    while (true) {
                                        String line = peer.onlyLine();
                                        peer.send(
                                                ScriptedReplies.to("who", "0 disabled\n")
                                                        .apply(line));
                                    }
                                });
                var client = client(server, LISTING)) {
            assertThatExceptionOfType(LockdDisabledException.class).isThrownBy(client::listClients);
            assertThat(client.tryGet("x")).isTrue();
        }
    }

    @Test
    void the_responses_to_both_markers_are_read_when_the_first_is_late() throws Exception {
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    peer.line();
                                    String first = peer.line();
                                    String second =
                                            peer.line(); // sent after the timeout of the first
                                    peer.send("a: 1\n");
                                    peer.send(ScriptedReplies.plain(first));
                                    peer.send(ScriptedReplies.plain(second));
                                    peer.respondToAll(ScriptedReplies::plain);
                                });
                var client = client(server, LISTING)) {
            assertThat(client.dump()).containsOnlyKeys("a");
            assertThat(client.tryGet("x")).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"d", "sd", "who", "q", "me", "g x", "iam x"})
    void a_missing_response_closes_the_connection(String command) throws Exception {
        try (var server = FakeServer.tcp(FakeServer.Peer::awaitEnd);
                var client = client(server, SHORT)) {
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> call(client, command))
                    .withMessage("Expected 1 line but got 0");
            isClosed(client);
        }
    }

    @Test
    void an_incomplete_list_of_counters_closes_the_connection() throws Exception {
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    peer.line();
                                    peer.send("command_d: 0\n");
                                    peer.awaitEnd();
                                });
                var client = client(server, SHORT)) {
            assertThatExceptionOfType(LockdConnectionException.class).isThrownBy(client::getStats);
            isClosed(client);
        }
    }

    @Test
    void a_response_of_empty_lines_only_closes_the_connection() throws Exception {
        talksForEver("\r\n\n", SHORT, client -> client.get("x"), "Expected 1 line but got 0");
    }

    @Test
    void a_line_without_end_closes_the_connection() throws Exception {
        talksForEver(
                "x".repeat(10_000),
                ENDLESS,
                client -> client.get("x"),
                "A line of more than 262144 bytes");
    }

    @Test
    void a_listing_over_its_limit_closes_the_connection() throws Exception {
        talksForEver(
                "a: 1\nb: 2\n",
                ENDLESS,
                LockdClient::dump,
                "A response of more than 1000000 bytes");
    }

    @Test
    void a_listing_without_end_closes_the_connection() throws Exception {
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    peer.line();
                                    while (true) { // the same key, so it uses no more memory
                                        peer.send("a: 1\n".repeat(1000));
                                    }
                                });
                var client =
                        LockdClient.builder()
                                .readTimeout(Duration.ofMillis(10))
                                .maxListingBytes(Long.MAX_VALUE)
                                .connect(server.address())) {
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(client::dump)
                    .withMessage("The response to 'd' did not end in time");
            isClosed(client);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "d, no colon",
        "d x, y: holder",
        "sd, no colon",
        "sd x, y: holder",
        "who, job: unix:1",
        "who x, unix:1: y",
        "q, locks: many",
        "me, 1 Lock Get Success: x",
        "me, 0 disabled",
        "iam x, 1 OK",
        "g x, 0 disabled",
    })
    void a_response_that_does_not_fit_the_command_closes_the_connection(
            String command, String response) throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies.to(command, response + "\n"));
                var client = client(server, ENDLESS)) {
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> call(client, command))
                    .withMessage("Unexpected response to '%s': %s", command, response);
            isClosed(client);
        }
    }

    @Test
    void a_listing_with_two_holders_of_one_lock_closes_the_connection() throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies.to("d x", "x: 1\nx: 2\n"));
                var client = client(server, ENDLESS)) {
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> client.dump("x"));
            isClosed(client);
        }
    }

    @Test
    void an_unsolicited_line_is_never_taken_for_a_response() throws Exception {
        var sent = new CountDownLatch(1);
        var failed = new Recorder();
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    peer.send(ScriptedReplies.plain(peer.line()));
                                    sent.await();
                                    peer.send("1 Lock Get Success: x\n");
                                    peer.awaitEnd();
                                });
                var client =
                        LockdClient.builder()
                                .readTimeout(ENDLESS)
                                .listener(failed)
                                .connect(server.address())) {
            client.get("y");
            sent.countDown();
            failed.awaitNotices(2);
            assertThat(failed.notices())
                    .containsExactly("connected", "failed: Unexpected line: 1 Lock Get Success: x");
            isClosed(client);
            assertThat(server.received()).containsExactly("g y");
        }
    }

    @Test
    void a_response_that_started_before_the_command_is_refused() throws Exception {
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    String line = peer.line();
                                    peer.send(ScriptedReplies.plain(line) + "1 Lock Get");
                                    peer.line();
                                    peer.send(" Success: x\n");
                                    peer.awaitEnd();
                                });
                var client = client(server, ENDLESS)) {
            client.get("y");
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> client.get("x"))
                    .withMessage("Unexpected line: 1 Lock Get");
        }
    }

    private static LockdClient client(FakeServer server, Duration readTimeout) throws Exception {
        return LockdClient.builder()
                .readTimeout(readTimeout)
                .maxListingBytes(1_000_000)
                .connect(server.address());
    }

    private static void talksForEver(
            String text, Duration readTimeout, Consumer<LockdClient> operation, String failure)
            throws Exception {
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    peer.line();
                                    while (true) {
                                        peer.send(text);
                                    }
                                });
                var client = client(server, readTimeout)) {
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> operation.accept(client))
                    .withMessage(failure);
            isClosed(client);
        }
    }

    private static void isClosed(LockdClient client) {
        assertThatExceptionOfType(LockdConnectionException.class)
                .isThrownBy(() -> client.get("later"))
                .withMessageContaining(" is closed: ");
    }

    private static void call(LockdClient client, String command) {
        switch (command) {
            case "d" -> client.dump();
            case "d x" -> client.dump("x");
            case "sd" -> client.dumpShared();
            case "sd x" -> client.dumpShared("x");
            case "who" -> client.listClients();
            case "who x" -> client.listClients("x");
            case "q" -> client.getStats();
            case "me" -> client.getName();
            case "iam x" -> client.setName("x");
            case "g x" -> client.get("x");
            default -> throw new IllegalArgumentException(command);
        }
    }
}
