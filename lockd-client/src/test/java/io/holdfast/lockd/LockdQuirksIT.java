package io.holdfast.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Checks that this client does not have the quirks Q21 to Q24 of earlier clients. */
@DisplayName("Quirks of earlier clients")
@Timeout(120)
class LockdQuirksIT {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration ENDLESS = Duration.ofHours(1);

    @Test
    void q21_a_late_response_is_never_taken_for_that_of_the_next_command() throws Exception {
        var missed = new CountDownLatch(1);
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    String first = peer.line();
                                    missed.await();
                                    peer.send(ScriptedReplies.plain(first));
                                    peer.awaitEnd();
                                });
                var client = LockdClient.builder().readTimeout(SHORT).connect(server.address())) {
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> client.get("first"))
                    .withMessage("Expected 1 line but got 0");
            missed.countDown();
            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(LockdConnectionException.class)
                        .isThrownBy(() -> client.get("first"))
                        .withMessage(
                                "The connection to %s is closed: Expected 1 line but got 0",
                                server.hostAndPort());
            }
            assertThat(server.received()).containsExactly("g first");
        }
    }

    @Test
    void q21_a_response_about_another_lock_is_refused() throws Exception {
        try (var server =
                        FakeServer.responding(
                                ScriptedReplies.to("g second", "1 Lock Get Success: first\n"));
                var client = LockdClient.builder().readTimeout(ENDLESS).connect(server.address())) {
            client.get("first");
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> client.tryGet("second"))
                    .withMessage("Unexpected response to 'g second': 1 Lock Get Success: first");
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> client.tryGet("third"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nr b", "a\r\nr b", "a\r", "\n"})
    void q22_a_name_with_a_line_break_is_refused_before_anything_is_sent(String name)
            throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies::plain);
                var client = LockdClient.builder().readTimeout(ENDLESS).connect(server.address())) {
            List<Runnable> operations =
                    List.of(
                            () -> client.get(name),
                            () -> client.tryGet(name),
                            () -> client.release(name),
                            () -> client.inspect(name),
                            () -> client.getShared(name),
                            () -> client.releaseShared(name),
                            () -> client.inspectShared(name),
                            () -> client.dump(name),
                            () -> client.dumpShared(name),
                            () -> client.setName(name),
                            () -> client.listClients(name));
            for (Runnable operation : operations) {
                assertThatIllegalArgumentException().isThrownBy(operation::run);
            }
            client.get("after");
            assertThat(server.received()).containsExactly("g after");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "100%s",
                "%n",
                "$1",
                "\\n",
                "a\u0000b",
                "constructor",
                "\u200b",
                "\ud83d\udd12"
            })
    void q22_every_other_name_arrives_unchanged(String name) throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies::plain);
                var client = LockdClient.builder().readTimeout(ENDLESS).connect(server.address())) {
            assertThat(client.get(name).text()).isEqualTo("Lock Get Success: " + name);
            assertThat(server.received()).containsExactly("g " + name);
        }
    }

    @Test
    void q23_an_operation_called_before_a_refused_connection_ends_with_an_error() throws Exception {
        int port;
        try (var gone = new ServerSocket(0)) {
            port = gone.getLocalPort();
        }
        try (var client = LockdClient.connect("127.0.0.1:" + port)) {
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> client.get("x"))
                    .withMessageContaining("Cannot connect to 127.0.0.1:" + port);
            assertThatExceptionOfType(LockdConnectionException.class).isThrownBy(client::getStats);
        }
    }

    @Test
    void q23_the_connect_timeout_ends_every_operation_when_the_host_never_responds()
            throws Exception {
        try (var full = FullBacklog.tcp();
                var client =
                        LockdClient.builder()
                                .connectTimeout(Duration.ofMillis(200))
                                .readTimeout(ENDLESS)
                                .connect(full.address())) {
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> client.get("x"))
                    .withMessageEndingWith("no response within 200 ms");
            assertThatExceptionOfType(LockdConnectionException.class).isThrownBy(client::getName);
        }
    }

    @Test
    void q23_an_operation_ends_with_an_error_when_the_connection_is_lost() throws Exception {
        try (var server =
                        FakeServer.tcp(
                                peer -> {
                                    peer.line();
                                    peer.send("1 Lock Get Succ");
                                });
                var client = LockdClient.builder().readTimeout(ENDLESS).connect(server.address())) {
            assertThatExceptionOfType(LockdConnectionException.class)
                    .isThrownBy(() -> client.get("x"))
                    .withMessageEndingWith("was closed by the server");
        }
    }

    @Test
    void q24_the_counters_are_complete_as_soon_as_the_last_one_has_arrived() throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies::plain);
                var client = LockdClient.builder().readTimeout(ENDLESS).connect(server.address())) {
            assertThat(client.getStats()).hasSize(6).containsEntry("shared_orphans", 4L);
            assertThat(server.received()).containsExactly("q");
        }
    }

    @Test
    void q24_the_other_listings_do_not_wait_for_the_read_timeout_either() throws Exception {
        try (var server = FakeServer.responding(ScriptedReplies.to("d", "a: 1\n"));
                var client = LockdClient.builder().readTimeout(ENDLESS).connect(server.address())) {
            assertThat(client.dump()).containsEntry("a", "1");
            assertThat(client.dumpShared()).isEmpty();
            assertThat(client.listClients()).isEmpty();
        }
    }
}
