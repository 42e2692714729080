package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

@DisplayName("The socketlockd process")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class SocketlockdProcessIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir private Path folder;
    private Path path;

    @BeforeEach
    void choose() {
        path = folder.resolve("s");
    }

    private ServerProcess start(String... more) throws IOException {
        String[] args = new String[more.length + 3];
        args[0] = "socketlockd";
        args[1] = "-socket";
        args[2] = path.toString();
        System.arraycopy(more, 0, args, 3, more.length);
        ServerProcess server = ServerProcess.start(args);
        await().atMost(TIMEOUT).until(() -> responds() || !server.isAlive());
        return server;
    }

    private boolean responds() {
        try (ConversationClient _ = new ConversationClient(UnixDomainSocketAddress.of(path))) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private ConversationClient connect() throws IOException {
        ConversationClient client = new ConversationClient(UnixDomainSocketAddress.of(path));
        client.send("I HELLO\n");
        assertThat(client.line(TIMEOUT)).isEqualTo("I CONNECTED");
        return client;
    }

    private static void hold(ConversationClient client, String lock) throws IOException {
        client.send("I REQWRITE " + lock + "\n");
        assertThat(client.line(TIMEOUT)).isEqualTo("I WRITELOCK " + lock);
        client.send("I CONFIRM " + lock + "\nI STATUS " + lock + "\n");
        assertThat(client.line(TIMEOUT)).isEqualTo("I LOCKOK " + lock);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "HUP"})
    void a_signal_ends_socketlockd_at_once_even_with_connections(String signal) throws Exception {
        try (ServerProcess server = start();
                ConversationClient holder = connect();
                ConversationClient silent = connect()) {
            hold(holder, "l1");
            server.signal(signal);
            assertThat(server.status()).isZero();
            holder.expectEnd(TIMEOUT);
            silent.expectEnd(TIMEOUT);
            assertThat(path).doesNotExist();
            assertThat(server.out()).isEmpty();
        }
    }

    @Test
    void events_are_printed_to_standard_error_and_nothing_else_is_printed() throws Exception {
        try (ServerProcess server = start("-max-ttl", "5s");
                ConversationClient client = connect()) {
            hold(client, "l1\u001b[2J");
            client.send("I REQREAD l2 6\n");
            assertThat(client.line(TIMEOUT)).isEqualTo("I REQFAIL timeout too long");
            server.awaitLog(line -> line.contains("request_failed"));
            server.signal("TERM");
            assertThat(server.status()).isZero();
            assertThat(server.out()).isEmpty();
            assertThat(server.err())
                    .allMatch(
                            line ->
                                    line.matches(
                                            "\\d{4}/\\d\\d/\\d\\d \\d\\d:\\d\\d:\\d\\d [a-z_]+"
                                                    + " client=I.*"))
                    .anyMatch(line -> line.endsWith(" hello client=I"))
                    .anyMatch(
                            line ->
                                    line.endsWith(
                                            " lock_requested client=I lock=l1\\x1b[2J"
                                                    + " mode=write"))
                    .anyMatch(
                            line ->
                                    line.endsWith(
                                            " request_failed client=I lock=l2 mode=read ttl=6s"
                                                    + " reason=timeout too long"));
        }
    }

    @Test
    void a_second_socketlockd_does_not_start_on_the_same_path() throws Exception {
        try (ServerProcess first = start();
                ConversationClient client = connect();
                ServerProcess second = start()) {
            assertThat(second.status()).isEqualTo(1);
            assertThat(second.out()).isEmpty();
            assertThat(second.err())
                    .containsExactly("start server: socketlock: server already running");
            hold(client, "l1");
            assertThat(first.isAlive()).isTrue();
        }
    }

    @Test
    @DisplayName("H13: a file that is not a socket is not replaced")
    void a_file_that_is_not_a_socket_is_not_replaced() throws Exception {
        Files.writeString(path, "mine");
        try (ServerProcess server = start()) {
            assertThat(server.status()).isEqualTo(1);
            assertThat(server.err())
                    .singleElement()
                    .asString()
                    .startsWith("start server: ")
                    .contains("is not a socket");
            assertThat(path).hasContent("mine");
        }
    }

    @Test
    @DisplayName("H10: after a kill, a lock of a living holder is not granted to others")
    void after_a_kill_a_lock_of_a_living_holder_is_not_granted_to_others() throws Exception {
        try (ConversationClient holder = startAndKill();
                ServerProcess next = start();
                ConversationClient waiting = connect()) {
            holder.expectEnd(TIMEOUT);
            long since = System.nanoTime();
            waiting.send("I REQWRITE l2\n");
            assertThat(waiting.line(TIMEOUT)).isEqualTo("I WRITELOCK l2");
            assertThat(Duration.ofNanos(System.nanoTime() - since))
                    .isGreaterThan(Duration.ofSeconds(3));
            assertThat(next.isAlive()).isTrue();
        }
    }

    /** A holder whose server was killed. */
    private ConversationClient startAndKill() throws Exception {
        try (ServerProcess server = start()) {
            ConversationClient holder = connect();
            hold(holder, "l1");
            server.signal("KILL");
            server.status();
            assertThat(path).exists();
            return holder;
        }
    }
}
