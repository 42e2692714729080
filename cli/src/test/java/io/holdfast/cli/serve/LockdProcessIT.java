package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

@DisplayName("The lockd process")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class LockdProcessIT {
    private static final int MANY = 200;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir private Path folder;

    private static ServerProcess lockd(String... more) throws IOException {
        List<String> args = new ArrayList<>(List.of("lockd"));
        args.addAll(List.of(more));
        return ServerProcess.start(args.toArray(String[]::new));
    }

    private static ServerSocket taken() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    private static void assertRefused(ServerProcess server, String reason) throws Exception {
        assertThat(server.status()).isEqualTo(1);
        assertThat(server.out()).isEmpty();
        assertThat(server.err()).singleElement().asString().contains(reason);
    }

    @Nested
    @DisplayName("A failed start")
    class DoesNotStart {
        @Test
        void a_port_in_use_prevents_the_start_before_any_listener_serves() throws Exception {
            int first;
            try (ServerSocket free = taken()) {
                first = free.getLocalPort();
            }
            try (ServerSocket last = taken()) {
                List<String> args = new ArrayList<>(List.of("--tcp", "" + first));
                for (int i = 0; i < MANY; i++) { // so that the first has enough time to serve
                    args.addAll(List.of("--tcp", "0"));
                }
                args.addAll(List.of("--tcp", "" + last.getLocalPort()));
                check(first, last.getLocalPort(), args);
            }
        }

        private static void check(int first, int last, List<String> args) throws Exception {
            try (ServerProcess server = lockd(args.toArray(String[]::new))) {
                AtomicBoolean responded = new AtomicBoolean();
                Thread requesting =
                        Thread.ofVirtual().start(() -> request(first, server, responded));
                assertThat(server.status()).isEqualTo(1);
                assertThat(requesting.join(TIMEOUT)).isTrue();
                assertThat(responded).isFalse();
                assertThat(server.err())
                        .singleElement()
                        .asString()
                        .contains("level=ERROR msg=\"cannot listen on 127.0.0.1:")
                        .contains(":" + last + ":")
                        .contains(" is already in use; choose another with --tcp or --ws");
            }
        }

        /** Repeats a request as long as the server runs. */
        private static void request(int port, ServerProcess server, AtomicBoolean responded) {
            while (server.isAlive()) {
                try (var channel =
                        SocketChannel.open(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                    channel.socket().setSoTimeout(1000);
                    channel.socket().getOutputStream().write(new byte[] {'m', 'e', '\n'});
                    if (channel.socket().getInputStream().read() >= 0) {
                        responded.set(true);
                    }
                } catch (IOException e) {
                    Thread.onSpinWait(); // not listening yet, or not any more
                }
            }
        }

        @ParameterizedTest
        @CsvSource({"--tcp,--ws", "--ws,--tcp", "-port,-ws"})
        void a_tcp_or_websocket_port_in_use_prevents_the_start(String one, String other)
                throws Exception {
            try (ServerSocket taken = taken();
                    ServerProcess server =
                            lockd(one, "127.0.0.1:0", other, "" + taken.getLocalPort())) {
                assertRefused(server, "cannot listen on 127.0.0.1:" + taken.getLocalPort());
            }
        }

        @Test
        void a_socket_path_in_use_prevents_the_start() throws Exception {
            Path alive = folder.resolve("alive");
            try (var other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                other.bind(UnixDomainSocketAddress.of(alive));
                try (ServerProcess server = lockd("--tcp", "0", "--unix", alive.toString())) {
                    assertRefused(
                            server,
                            "cannot listen on " + alive + ": another server is listening there");
                }
                assertThat(alive).exists();
            }
            Path file = Files.writeString(folder.resolve("file"), "precious");
            try (ServerProcess server = lockd("--unix", file.toString())) {
                assertRefused(server, "cannot listen on " + file);
            }
            assertThat(file).hasContent("precious");
        }

        @ParameterizedTest
        @CsvSource({
            "-port 0 -ws 0,no address to listen on",
            "--alow-dump,flag provided but not defined: -alow-dump",
            "--tcp 0 -dump false,not an option: false",
            "--tcp 70000,--tcp must be [HOST:]PORT"
        })
        void invalid_options_prevent_the_start(String args, String reason) throws Exception {
            try (ServerProcess server = lockd(args.split(" "))) {
                assertRefused(server, "configuration error: " + reason);
            }
        }

        @Test
        void a_pid_file_of_another_server_prevents_the_start() throws Exception {
            Path pid = folder.resolve("pid");
            try (ServerProcess first = lockd("--tcp", "0", "--pid-file", pid.toString())) {
                int port = first.port();
                try (ServerProcess second = lockd("--tcp", "0", "-pidfile", pid.toString())) {
                    assertRefused(
                            second,
                            "cannot write the pid file "
                                    + pid
                                    + ": the pid file is locked by another running server");
                }
                assertThat(Files.readString(pid)).isEqualTo("" + first.pid());
                try (var client = new LockdSocket(port)) {
                    assertThat(client.request("g a")).isEqualTo("1 Lock Get Success: a");
                }
            }
        }

        @Test
        void a_failed_start_removes_its_pid_file() throws Exception {
            Path pid = folder.resolve("pid");
            try (ServerSocket taken = taken();
                    ServerProcess server =
                            lockd("--tcp", "" + taken.getLocalPort(), "-p", pid.toString())) {
                assertRefused(server, "cannot listen on");
                assertThat(pid).doesNotExist();
            }
        }
    }

    @Nested
    @DisplayName("The log of the start")
    class StartLog {
        @Test
        void the_log_shows_the_ports_that_the_system_has_chosen() throws Exception {
            Path socket = folder.resolve("socket");
            try (ServerProcess server =
                    lockd("--tcp", "0", "--ws", "0", "--unix", socket.toString())) {
                String tcp = server.awaitLog(line -> line.contains("protocol=lockd "));
                String ws = server.awaitLog(line -> line.contains("protocol=lockd+ws "));
                String unix = server.awaitLog(line -> line.contains("protocol=lockd+unix "));
                assertThat(tcp).matches(".* msg=listening addr=127\\.0\\.0\\.1:[1-9]\\d* .*");
                assertThat(ws).matches(".* msg=listening addr=127\\.0\\.0\\.1:[1-9]\\d* .*");
                assertThat(unix).contains(" msg=listening addr=" + socket + " ");
                assertThat(server.err()).hasSize(3);
                assertThat(server.out()).isEmpty();
                try (var client = new LockdSocket(server.port());
                        var local = new LockdSocket(UnixDomainSocketAddress.of(socket))) {
                    assertThat(client.request("g a")).isEqualTo("1 Lock Get Success: a");
                    assertThat(local.request("g a")).isEqualTo("0 Lock Get Failure: a");
                }
            }
        }

        @ParameterizedTest
        @CsvSource({
            "lockd,--tcp,0.0.0.0:0",
            "lockd,--ws,0.0.0.0:0",
            "serve,--listen,lockd://[::]:0"
        })
        void a_non_loopback_listener_causes_a_warning(String command, String option, String where)
                throws Exception {
            try (ServerProcess server = ServerProcess.start(command, option, where)) {
                String line = server.awaitLog(text -> text.contains("level=WARN"));
                assertThat(line).contains("lockd has no authentication and listens on a");
                assertThat(server.err()).hasSize(2);
            }
        }

        @Test
        void an_auth_token_causes_a_warning_that_lockd_does_not_use_it() throws Exception {
            try (ServerProcess server =
                    ServerProcess.start(
                            "serve",
                            "--listen=lockd://127.0.0.1:0",
                            "--listen=dflockd://127.0.0.1:0",
                            "--auth-token=open-sesame")) {
                String line = server.awaitLog(text -> text.contains("level=WARN"));
                assertThat(line)
                        .contains(
                                "--auth-token does not apply to lockd, which has no"
                                        + " authentication");
                assertThat(server.err()).hasSize(3).noneMatch(text -> text.contains("sesame"));
            }
        }

        @Test
        void the_unix_socket_has_the_given_permissions() throws Exception {
            Path socket = folder.resolve("socket");
            try (ServerProcess server = lockd("--unix", socket.toString(), "--unix-mode", "0620")) {
                server.awaitLog(line -> line.contains("msg=listening"));
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                        .isEqualTo("rw--w----");
            }
        }
    }

    @Nested
    @DisplayName("The event log")
    class Verbose {
        @ParameterizedTest
        @ValueSource(strings = {"--verbose", "-verbose", "-verbose=true"})
        void verbose_prints_a_line_for_each_event(String option) throws Exception {
            Path socket = folder.resolve("socket");
            try (ServerProcess server =
                    lockd(option, "--unix", socket.toString(), "--enable-registry")) {
                server.awaitLog(line -> line.contains("msg=listening"));
                try (var client = new LockdSocket(UnixDomainSocketAddress.of(socket))) {
                    assertThat(client.request("g two  words")).startsWith("1 ");
                    assertThat(client.request("r two words")).startsWith("1 ");
                    assertThat(client.request("sg crowd")).startsWith("1 ");
                    assertThat(client.request("sr crowd")).startsWith("1 ");
                    assertThat(client.request("iam joe")).isEqualTo("1 ok");
                    assertThat(client.request("nonsense\ng left")).startsWith("1 ");
                    assertThat(client.request("sg left")).startsWith("1 ");
                    assertThat(client.request("r other")).startsWith("0 ");
                }
                await().atMost(TIMEOUT).until(() -> server.out().contains("unix:1 disconnected"));
                assertThat(server.out())
                        .containsExactly(
                                "unix:1 connected",
                                "unix:1 obtained lock for two words",
                                "unix:1 released lock for two words",
                                "unix:1 obtained shared lock for crowd",
                                "unix:1 released shared lock for crowd",
                                "unix:1 changed their name to 'joe'",
                                "unix:1 invalid command",
                                "unix:1 obtained lock for left",
                                "unix:1 obtained shared lock for left",
                                "unix:1 orphaned locks: 1",
                                "unix:1 orphaned shared locks: 1",
                                "unix:1 disconnected");
            }
        }

        @Test
        void without_verbose_no_event_is_printed() throws Exception {
            try (ServerProcess server = lockd("--tcp", "0");
                    var client = new LockdSocket(server.port())) {
                assertThat(client.request("g a")).startsWith("1 ");
                server.signal("TERM");
                assertThat(client.request("r a")).startsWith("1 ");
                assertThat(server.status()).isZero();
                assertThat(server.out()).isEmpty();
            }
        }
    }

    @Nested
    @DisplayName("SIGTERM")
    class Ends {
        @Test
        void sigterm_removes_the_pid_file_and_the_socket() throws Exception {
            Path socket = folder.resolve("socket");
            Path pid = folder.resolve("pid");
            try (ServerProcess server =
                    lockd("--unix", socket.toString(), "--pid-file", pid.toString())) {
                server.awaitLog(line -> line.contains("msg=listening"));
                assertThat(socket).exists();
                assertThat(Files.readString(pid)).isEqualTo("" + server.pid());
                server.signal("TERM");
                assertThat(server.status()).isZero();
                assertThat(socket).doesNotExist();
                assertThat(pid).doesNotExist();
                assertThat(folder).isEmptyDirectory();
            }
        }

        @Test
        void sigterm_ends_lockd_within_seconds_while_a_lock_is_held() throws Exception {
            try (ServerProcess server = lockd("--tcp", "0", "--shutdown-timeout", "1");
                    var holder = new LockdSocket(server.port())) {
                assertThat(holder.request("g a")).isEqualTo("1 Lock Get Success: a");
                server.signal("TERM");
                assertThat(holder.receive()).isNull();
                assertThat(server.status()).isZero();
                assertThat(server.err().getLast())
                        .contains("msg=\"shutdown timeout reached, force-closing connections\"");
            }
        }

        @Test
        void sigterm_ends_lockd_when_the_last_holder_is_done_and_grants_nothing_new()
                throws Exception {
            try (ServerProcess server = lockd("--tcp", "0", "--shutdown-timeout", "0");
                    var holder = new LockdSocket(server.port())) {
                assertThat(holder.request("g a")).startsWith("1 ");
                server.signal("TERM");
                server.awaitLog(line -> line.contains("draining connections"));
                assertThat(holder.request("i a")).isEqualTo("1 Lock Is Locked: a");
                assertThat(holder.request("g b")).isEqualTo("0 Lock Get Failure: b");
                assertThat(holder.request("sg b")).isEqualTo("0 Shared Lock Get Failure: b");
                assertThat(holder.request("r a")).isEqualTo("1 Lock Release Success: a");
                assertThat(holder.receive()).isNull();
                assertThat(server.status()).isZero();
            }
        }
    }

    @Test
    void the_socket_of_a_killed_server_is_replaced() throws Exception {
        Path socket = folder.resolve("socket");
        Path pid = folder.resolve("pid");
        String[] args = {"--unix", socket.toString(), "--pid-file", pid.toString()};
        try (ServerProcess killed = lockd(args)) {
            killed.awaitLog(line -> line.contains("msg=listening"));
            killed.signal("KILL");
            killed.status();
        }
        assertThat(socket).exists();
        assertThat(pid).exists();
        try (ServerProcess server = lockd(args)) {
            server.awaitLog(line -> line.contains("msg=listening"));
            assertThat(Files.readString(pid)).isEqualTo("" + server.pid());
            try (var client = new LockdSocket(UnixDomainSocketAddress.of(socket))) {
                assertThat(client.request("me")).isEqualTo("1 unix:1 unix:1");
            }
        }
    }

    @Test
    void serve_listens_for_dflockd_and_lockd_by_default() throws Exception {
        try (ServerProcess server =
                        ServerProcess.start(
                                "serve",
                                "--listen=dflockd://127.0.0.1:0",
                                "--listen=lockd://127.0.0.1:0");
                var dflockd = new LineClient(server.port());
                var lockd = new LockdSocket(server.portOf("lockd"))) {
            String token = dflockd.lock("deploy", "0 60");
            assertThat(lockd.request("g deploy")).isEqualTo("0 Lock Get Failure: deploy");
            assertThat(dflockd.request("r", "deploy", token)).isEqualTo("ok");
            assertThat(lockd.request("g deploy")).isEqualTo("1 Lock Get Success: deploy");
            assertThat(dflockd.request("stats", "", ""))
                    .contains("\"key\":\"deploy\"", "\"lease_expires_in_s\":9223372036,");
        }
    }
}
