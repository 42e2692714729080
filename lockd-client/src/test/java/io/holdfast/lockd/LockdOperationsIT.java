package io.holdfast.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** The read timeout is longer than the tests may take, so a test that waits for it fails. */
@DisplayName("A client")
@Timeout(120)
class LockdOperationsIT {
    private static final LockdClient.Builder LONG_TIMEOUT =
            LockdClient.builder().readTimeout(Duration.ofHours(1));

    @Test
    void a_lock_is_acquired_inspected_and_released() throws Exception {
        with(
                ScriptedReplies.to("i printer", "1 Lock Is Locked: printer\n"),
                client -> {
                    assertThat(client.get("printer"))
                            .isEqualTo(new LockdReply(1, "Lock Get Success: printer"));
                    assertThat(client.tryGet("printer")).isTrue();
                    assertThat(client.inspect("printer").number()).isEqualTo(1);
                    assertThat(client.inspect("scanner"))
                            .isEqualTo(new LockdReply(0, "Lock Not Locked: scanner"));
                    assertThat(client.release("printer").text())
                            .isEqualTo("Lock Release Success: printer");
                });
    }

    @Test
    void a_refusal_has_the_text_of_the_server() throws Exception {
        with(
                line -> {
                    String word = line.split(" ", 2)[0];
                    return switch (word) {
                        case "g" -> "0 Lock Get Failure: x\r\n";
                        case "r" -> "0 Lock Release Failure: x\n";
                        case "sg" -> "0 Shared Lock Get Failure: x\r\n";
                        case "sr" -> "0 Shared Lock Release Failure: x\r\n";
                        default -> ScriptedReplies.plain(line);
                    };
                },
                client -> {
                    assertThat(client.tryGet("x")).isFalse();
                    refuses("Lock Get Failure: x", () -> client.get("x"));
                    refuses("Lock Release Failure: x", () -> client.release("x"));
                    refuses("Shared Lock Get Failure: x", () -> client.getShared("x"));
                    refuses("Shared Lock Release Failure: x", () -> client.releaseShared("x"));
                    assertThat(client.inspect("x").number()).isZero();
                });
    }

    @Test
    void a_shared_lock_reports_its_number_of_holders() throws Exception {
        with(
                ScriptedReplies.to("sg x", "3 Shared Lock Get Success: x\r\n"),
                client -> {
                    assertThat(client.getShared("x"))
                            .isEqualTo(new LockdReply(3, "Shared Lock Get Success: x"));
                    assertThat(client.releaseShared("x").number()).isEqualTo(1);
                    assertThat(client.inspectShared("x"))
                            .isEqualTo(new LockdReply(0, "Shared Lock Not Locked: x"));
                });
    }

    @Test
    void the_lock_with_the_empty_name_can_be_used() throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies.to("d", ": me\na: you\n"));
                var client = LONG_TIMEOUT.connect(server.hostAndPort())) {
            assertThat(client.get(" ").text()).isEqualTo("Lock Get Success: ");
            assertThat(client.dump("")).contains("me");
            assertThat(client.dumpShared("")).isEmpty();
            assertThat(client.listClients("")).isEmpty();
            assertThat(server.received()).startsWith("g", "d").contains("sd", "who");
        }
    }

    @Test
    void names_are_sent_normalized_and_found_in_listings() throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies.to("d", "two words: unix:1\n"));
                var client = LONG_TIMEOUT.connect(server.hostAndPort())) {
            String name = "  two \u00a0\t words\u3000";
            assertThat(client.get(name).text()).isEqualTo("Lock Get Success: two words");
            assertThat(server.received()).containsExactly("g two words");
            assertThat(client.dump()).containsOnlyKeys(LockdClient.normalize(name));
        }
    }

    @Test
    void exclusive_locks_are_dumped_in_order() throws Exception {
        with(
                ScriptedReplies.to("d", "b: worker 7\na: 127.0.0.1:57871\nodd: name: [::1]:9\n"),
                client ->
                        assertThat(client.dump())
                                .containsExactly(
                                        entry("b", "worker 7"),
                                        entry("a", "127.0.0.1:57871"),
                                        entry("odd", "name: [::1]:9")));
    }

    @Test
    void a_lock_with_any_name_can_be_dumped() throws Exception {
        with(
                ScriptedReplies.to("d odd: name", "odd: name: me: too\n"),
                client -> {
                    assertThat(client.dump("odd:  name")).contains("me: too");
                    assertThat(client.dump("free")).isEmpty();
                });
    }

    @Test
    void shared_locks_are_dumped_with_their_holders_in_order() throws Exception {
        with(
                line ->
                        switch (line) {
                            case "sd" -> "b: z\nb: a\na: z\n";
                            case "sd b" -> "b: z\nb: a\n";
                            default -> ScriptedReplies.plain(line);
                        },
                client -> {
                    assertThat(client.dumpShared())
                            .containsExactly(
                                    entry("b", List.of("z", "a")), entry("a", List.of("z")));
                    assertThat(client.dumpShared("b")).containsExactly("z", "a");
                    assertThat(client.dumpShared("free")).isEmpty();
                });
    }

    @Test
    void a_client_registers_its_name_and_lists_the_others() throws Exception {
        with(
                line ->
                        switch (line) {
                            case "me" -> "1 [::1]:52138 my own name\n";
                            case "who" -> "unix:1: job\n[::1]:2: else\n127.0.0.1:3: job\n";
                            case "who job" -> "unix:1: job\n127.0.0.1:3: job\n";
                            default -> ScriptedReplies.plain(line);
                        },
                client -> {
                    assertThat(client.setName("my own name")).isEqualTo(new LockdReply(1, "ok"));
                    assertThat(client.setName("").number()).isEqualTo(1);
                    assertThat(client.getName())
                            .isEqualTo(new LockdIdentity("[::1]:52138", "my own name"));
                    assertThat(client.listClients())
                            .containsExactly(entry("job", "127.0.0.1:3"), entry("else", "[::1]:2"));
                    assertThat(client.listClients("job")).contains("127.0.0.1:3");
                    assertThat(client.listClients("nobody")).isEmpty();
                });
    }

    @Test
    void a_disabled_feature_is_reported_and_the_client_stays_usable() throws Exception {
        with(
                line ->
                        line.matches("(d|sd|who|iam)( .*)?")
                                ? "0 disabled\n"
                                : ScriptedReplies.plain(line),
                client -> {
                    String dump = "The dump feature of the lockd server is disabled.";
                    String who =
                            "The dump and/or registry features of the lockd server are disabled.";
                    isDisabled(dump, client::dump);
                    isDisabled(dump, () -> client.dump("x"));
                    isDisabled(dump, client::dumpShared);
                    isDisabled(dump, () -> client.dumpShared("x"));
                    isDisabled(who, client::listClients);
                    isDisabled(who, () -> client.listClients("x"));
                    isDisabled(
                            "The registry feature of the lockd server is disabled.",
                            () -> client.setName("x"));
                    assertThat(client.tryGet("x")).isTrue();
                });
    }

    @Test
    void a_command_that_some_servers_would_truncate_is_refused() throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies::plain);
                var client = LONG_TIMEOUT.connect(server.hostAndPort())) {
            assertThat(client.tryGet("y".repeat(4093))).isTrue();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.get("y".repeat(4094)))
                    .withMessageContaining("4095 bytes");
            assertThat(client.tryGet("\u00fc".repeat(2046))).isTrue();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.get("\u00fc".repeat(2047)));
            assertThat(server.received()).hasSize(2);
        }
    }

    @Test
    void names_of_different_invalid_bytes_are_distinguished() throws Exception {
        byte[] response = "a?: 1\na!: 2\n".getBytes(StandardCharsets.ISO_8859_1);
        response[1] = (byte) 0xFF;
        response[7] = (byte) 0xFE;
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    peer.line();
                                    peer.send(response);
                                    peer.respondToAll(ScriptedReplies::plain);
                                });
                var client = LONG_TIMEOUT.connect(server.hostAndPort())) {
            assertThat(client.dump()).containsExactly(entry("a\udcff", "1"), entry("a\udcfe", "2"));
        }
    }

    @Test
    void fragmented_responses_with_empty_lines_are_understood() throws Exception {
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    while (true) {
                                        String response =
                                                "\r\n" + ScriptedReplies.plain(peer.line());
                                        for (byte b : response.getBytes(StandardCharsets.UTF_8)) {
                                            peer.send(new byte[] {b});
                                        }
                                    }
                                });
                var client = LONG_TIMEOUT.connect(server.hostAndPort())) {
            assertThat(client.get("gr\u00fcn").text()).isEqualTo("Lock Get Success: gr\u00fcn");
            assertThat(client.dump()).isEmpty();
            assertThat(client.getStats()).containsEntry("command_g", 12L);
        }
    }

    @Test
    void a_client_works_over_a_unix_socket(@TempDir Path folder) throws Exception {
        Path socket = folder.resolve("lockd.sock");
        try (var server =
                        FakeServer.unix(socket, peer -> peer.respondToAll(ScriptedReplies::plain));
                var client = LONG_TIMEOUT.connectUnix(socket)) {
            assertThat(client.tryGet("x")).isTrue();
            assertThat(client.dump()).isEmpty();
            assertThat(client.getStats()).containsEntry("shared_orphans", 4L);
            assertThat(server.received()).startsWith("g x", "d");
            assertThat(client).hasToString("LockdClient[" + socket + "]");
        }
    }

    @Test
    void every_address_of_a_host_is_tried() throws Exception {
        try (var server =
                        FakeServer.responding(
                                ScriptedReplies
                                        ::plain); // listens on one of the addresses of localhost
                var client =
                        LONG_TIMEOUT.connect(
                                server.hostAndPort().replace("127.0.0.1", "localhost"))) {
            assertThat(client.tryGet("x")).isTrue();
        }
    }

    @Test
    void a_long_listing_is_read() throws Exception {
        var lines = new StringBuilder();
        for (int i = 0; i < 50_000; i++) {
            lines.append("lock-").append(i).append(": 127.0.0.1:").append(i).append('\n');
        }
        with(
                ScriptedReplies.to("d", lines.toString()),
                client -> {
                    assertThat(client.dump())
                            .hasSize(50_000)
                            .containsEntry("lock-7", "127.0.0.1:7");
                    assertThat(client.tryGet("x")).isTrue();
                });
    }

    private static void with(Function<String, String> responses, Consumer<LockdClient> test)
            throws Exception {
        try (var server = FakeServer.responding(responses);
                var client = LONG_TIMEOUT.connect(server.hostAndPort())) {
            test.accept(client);
        }
    }

    private static void refuses(String text, Runnable operation) {
        assertThatExceptionOfType(LockdRefusedException.class)
                .isThrownBy(operation::run)
                .withMessage(text);
    }

    private static void isDisabled(String text, Runnable operation) {
        assertThatExceptionOfType(LockdDisabledException.class)
                .isThrownBy(operation::run)
                .withMessage(text);
    }
}
