package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

@DisplayName("The server process")
@Execution(ExecutionMode.CONCURRENT)
class ServeProcessIT {
    private static final String LOG_LINE = "time=\\S+ level=(INFO|WARN|ERROR|DEBUG) msg=.*";

    @TempDir private static Path identity;
    private static PemFiles pem;

    @TempDir private Path folder;

    @BeforeAll
    static void makeIdentity() throws Exception {
        pem = PemFiles.create(identity);
    }

    private static String[] serve(String... more) {
        List<String> args = new ArrayList<>(List.of("serve", "--listen", "dflockd://127.0.0.1:0"));
        args.addAll(List.of(more));
        return args.toArray(String[]::new);
    }

    private static String[] dflockd(String... more) {
        List<String> args = new ArrayList<>(List.of("dflockd", "--port", "0"));
        args.addAll(List.of(more));
        return args.toArray(String[]::new);
    }

    /** Asserts that the program ends at once, with status 1 and one line with the reason. */
    private static String refusal(String... args) throws Exception {
        return refusal(1, args);
    }

    private static String refusal(int status, String... args) throws Exception {
        try (var server = ServerProcess.start(args)) {
            assertThat(server.status()).isEqualTo(status);
            assertThat(server.out()).isEmpty();
            assertThat(server.err()).hasSize(1);
            return server.err().getFirst();
        }
    }

    @Nested
    @DisplayName("A failed start")
    class DoesNotStart {
        @ParameterizedTest
        @ValueSource(strings = {"auto", "nio"})
        void a_port_in_use_prevents_the_start(String transport) throws Exception {
            try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                String port = Integer.toString(taken.getLocalPort());
                String address = "127.0.0.1:" + port;
                assertThat(
                                refusal(
                                        "serve",
                                        "--listen",
                                        "dflockd://" + address,
                                        "--transport",
                                        transport))
                        .matches(LOG_LINE)
                        .contains("level=ERROR msg=\"cannot listen on " + address)
                        .contains(" is already in use; choose another with --");
                assertThat(refusal("dflockd", "--port", port, "--transport", transport))
                        .contains("level=ERROR msg=\"cannot listen on " + address);
            }
        }

        @Test
        void one_of_two_ports_in_use_prevents_the_start() throws Exception {
            try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                String address = "127.0.0.1:" + taken.getLocalPort();
                try (var server = ServerProcess.start(serve("--listen", "dflockd://" + address))) {
                    assertThat(server.status()).isEqualTo(1);
                    assertThat(server.err().getLast()).contains("cannot listen on " + address);
                }
            }
        }

        @ParameterizedTest
        @CsvSource({
            "ftp://127.0.0.1:0,must begin with dflockd://",
            "127.0.0.1:0,must begin with dflockd://",
            "dflockd://127.0.0.1:70000,needs a port of 0-65535"
        })
        void an_invalid_address_prevents_the_start(String url, String reason) throws Exception {
            assertThat(refusal(2, "serve", "--listen", url))
                    .startsWith("configuration error: --listen " + url)
                    .contains(reason);
        }

        @Test
        void an_unknown_host_prevents_the_start() throws Exception {
            assertThat(refusal("dflockd", "--host", "nobody.invalid", "--port", "0"))
                    .matches(LOG_LINE)
                    .contains("cannot listen on nobody.invalid:0: unknown host");
        }

        @Test
        void a_missing_tls_key_prevents_the_start() throws Exception {
            Path missing = folder.resolve("missing.pem");
            assertThat(
                            refusal(
                                    dflockd(
                                            "--tls-cert",
                                            pem.certificate().toString(),
                                            "--tls-key",
                                            missing.toString())))
                    .matches(LOG_LINE)
                    .contains("level=ERROR")
                    .contains(missing.toString());
        }

        @Test
        void an_invalid_tls_key_prevents_the_start() throws Exception {
            Path wrong = Files.writeString(folder.resolve("wrong.pem"), "not a key\n");
            assertThat(
                            refusal(
                                    "serve",
                                    "--listen",
                                    "dflockds://127.0.0.1:0",
                                    "--tls-cert",
                                    pem.certificate().toString(),
                                    "--tls-key",
                                    wrong.toString()))
                    .matches(LOG_LINE)
                    .contains("level=ERROR")
                    .contains(wrong.toString())
                    .contains("no private key in it");
        }

        @Test
        void an_invalid_tls_certificate_prevents_the_start() throws Exception {
            Path wrong = Files.writeString(folder.resolve("wrong.pem"), "not a certificate\n");
            assertThat(
                            refusal(
                                    dflockd(
                                            "--tls-cert",
                                            wrong.toString(),
                                            "--tls-key",
                                            pem.key().toString())))
                    .matches(LOG_LINE)
                    .contains("level=ERROR")
                    .contains(wrong.toString());
        }

        @Test
        void a_certificate_without_a_key_prevents_the_start() throws Exception {
            assertThat(refusal(dflockd("--tls-cert", "cert.pem")))
                    .isEqualTo(
                            "configuration error: --tls-cert and --tls-key must be given together");
            assertThat(refusal(2, serve("--tls-key", "key.pem")))
                    .isEqualTo(
                            "configuration error: --tls-cert and --tls-key must be given together");
        }

        @Test
        void a_damaged_fence_file_prevents_the_start() throws Exception {
            Path file = Files.writeString(folder.resolve("fence"), "123");
            assertThat(refusal(dflockd("--fence-state-file", file.toString())))
                    .matches(LOG_LINE)
                    .contains("level=ERROR")
                    .contains(file.toString())
                    .contains("3 bytes, not 8");
            assertThat(file).hasContent("123");
        }

        @Test
        void an_unwritable_fence_file_prevents_the_start() throws Exception {
            Path file = folder.resolve("no-such-folder").resolve("fence");
            assertThat(refusal(serve("--fence-state-file", file.toString())))
                    .matches(LOG_LINE)
                    .contains("level=ERROR")
                    .contains(file.toString());
        }

        @Test
        void an_empty_secret_file_prevents_the_start() throws Exception {
            Path file = Files.writeString(folder.resolve("secret"), "\n");
            assertThat(refusal(dflockd("--auth-token-file", file.toString())))
                    .isEqualTo("configuration error: the auth token file " + file + " is empty");
        }
    }

    @Nested
    @DisplayName("The log of the start")
    class StartLog {
        @Test
        void the_log_shows_the_port_that_the_system_has_chosen() throws Exception {
            try (var server = ServerProcess.start(dflockd())) {
                int port = server.port();
                assertThat(port).isPositive();
                assertThat(server.err())
                        .singleElement()
                        .asString()
                        .matches(
                                "time=\\S+ level=INFO msg=listening addr=127\\.0\\.0\\.1:"
                                        + port
                                        + " .*transport=(io_uring|epoll|kqueue|nio).*");
                try (var client = new LineClient(port)) {
                    assertThat(client.request("ping", "", "")).isEqualTo("ok");
                }
                assertThat(server.out()).isEmpty();
            }
        }

        @Test
        void the_log_shows_the_chosen_transport() throws Exception {
            try (var server = ServerProcess.start(serve("--transport", "nio"))) {
                server.port();
                assertThat(server.err().getFirst()).contains(" transport=nio");
            }
        }

        @Test
        void each_listen_address_is_logged() throws Exception {
            try (var server = ServerProcess.start(serve("--listen", "dflockd://localhost:0"))) {
                server.port();
                server.awaitLog(line -> server.err().size() == 2);
                assertThat(server.err()).allMatch(line -> line.contains("msg=listening addr="));
            }
        }

        @Test
        void an_ipv6_address_is_logged_in_brackets() throws Exception {
            try (var server = ServerProcess.start(dflockd("--host", "::1"))) {
                int port = server.port();
                assertThat(server.err().getFirst())
                        .containsPattern("addr=\"?\\[[0:]*:1\\]:" + port);
                try (var client = new LineClient(new Socket(InetAddress.ofLiteral("::1"), port))) {
                    assertThat(client.request("ping", "", "")).isEqualTo("ok");
                }
            }
        }

        @Test
        void tls_is_logged_before_the_addresses() throws Exception {
            try (var server =
                    ServerProcess.start(
                            dflockd(
                                    "--tls-cert",
                                    pem.certificate().toString(),
                                    "--tls-key",
                                    pem.key().toString()))) {
                int port = server.port();
                assertThat(server.err()).hasSize(2);
                assertThat(server.err().getFirst()).endsWith(" level=INFO msg=\"TLS enabled\"");
                Socket socket = pem.trusting().getSocketFactory().createSocket("127.0.0.1", port);
                try (var client = new LineClient(socket)) {
                    assertThat(client.request("ping", "", "")).isEqualTo("ok");
                }
            }
        }

        @ParameterizedTest
        @CsvSource({"'',authentication and TLS", "--auth-token=open-sesame,TLS"})
        void an_unprotected_non_loopback_listener_causes_a_warning(String arg, String missing)
                throws Exception {
            List<String> args = new ArrayList<>(List.of("serve", "--listen"));
            args.add("dflockd://0.0.0.0:0");
            if (!arg.isEmpty()) {
                args.add(arg);
            }
            try (var server = ServerProcess.start(args.toArray(String[]::new))) {
                String line = server.awaitLog(text -> text.contains("level=WARN"));
                assertThat(line).contains("without " + missing + "\" addr=");
                assertThat(server.err()).hasSize(2);
            }
        }
    }

    @Nested
    @DisplayName("The end of the server")
    class Ends {
        @ParameterizedTest
        @ValueSource(strings = {"TERM", "INT"})
        void the_server_ends_at_once_without_holders(String signal) throws Exception {
            try (var server = ServerProcess.start(serve());
                    var idle = new LineClient(server.port())) {
                assertThat(idle.request("ping", "", "")).isEqualTo("ok");
                server.signal(signal);
                assertThat(idle.receive()).isNull();
                assertThat(server.status()).isZero();
                assertThat(server.err().getLast())
                        .endsWith(" level=INFO msg=\"shutting down, draining connections\"");
                assertThat(server.out()).isEmpty();
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"TERM", "INT"})
        void the_server_ends_when_the_last_holder_is_done(String signal) throws Exception {
            try (var server = ServerProcess.start(dflockd());
                    var holder = new LineClient(server.port());
                    var waiter = new LineClient(server.port())) {
                int port = server.port();
                String token = holder.lock("printer", "0 60");
                waiter.send("l", "printer", "60");
                await().until(() -> holder.request("stats", "_", "").contains("\"waiters\":1"));
                server.signal(signal);
                assertThat(waiter.receive()).isEqualTo("error");
                assertThat(waiter.receive()).isNull();
                assertThat(holder.request("n", "printer", token + " 30")).isEqualTo("ok 30");
                assertThat(server.isAlive()).isTrue();
                assertRefused(port);
                assertThat(holder.request("r", "printer", token)).isEqualTo("ok");
                assertThat(holder.receive()).isNull();
                assertThat(server.status()).isZero();
                assertThat(server.err())
                        .hasSize(2)
                        .noneMatch(line -> line.contains("timeout reached"));
            }
        }

        private void assertRefused(int port) {
            assertThatThrownBy(
                            () -> {
                                try (var late = new Socket()) {
                                    late.connect(
                                            new InetSocketAddress(
                                                    InetAddress.getLoopbackAddress(), port),
                                            5000);
                                }
                            })
                    .isInstanceOf(ConnectException.class);
        }

        @Test
        void the_server_ends_after_the_shutdown_timeout() throws Exception {
            try (var server = ServerProcess.start(dflockd("--shutdown-timeout", "1"));
                    var holder = new LineClient(server.port())) {
                assertThat(holder.request("l", "printer", "0 60")).startsWith("ok ");
                server.signal("TERM");
                assertThat(holder.receive()).isNull();
                assertThat(server.status()).isZero();
                assertThat(server.err().getLast())
                        .contains("msg=\"shutdown timeout reached, force-closing connections\"");
            }
        }

        @ParameterizedTest
        @CsvSource({"TERM,TERM,143", "INT,INT,130", "TERM,INT,130"})
        void a_second_signal_ends_the_server_at_once(String first, String second, int status)
                throws Exception {
            try (var server = ServerProcess.start(serve("--shutdown-timeout", "0"));
                    var holder = new LineClient(server.port())) {
                assertThat(holder.request("l", "printer", "0 60")).startsWith("ok ");
                server.signal(first);
                server.awaitLog(line -> line.contains("draining connections"));
                assertThat(holder.request("ping", "", "")).isEqualTo("ok");
                server.signal(second);
                assertThat(server.status()).isEqualTo(status);
            }
        }
    }

    @Nested
    @DisplayName("The secret")
    class KeepsSecret {
        @ParameterizedTest
        @ValueSource(strings = {"flag", "variable", "file"})
        void the_secret_is_not_logged(String source) throws Exception {
            Path file = Files.writeString(folder.resolve("secret"), "open-sesame\n");
            List<String> args = new ArrayList<>(List.of(dflockd("--debug")));
            Map<String, String> environment =
                    source.equals("variable")
                            ? Map.of("DFLOCKD_AUTH_TOKEN", "open-sesame")
                            : Map.of();
            if (source.equals("flag")) {
                args.addAll(List.of("--auth-token", "open-sesame"));
            } else if (source.equals("file")) {
                args.addAll(List.of("--auth-token-file", file.toString()));
            }
            try (var server = ServerProcess.start(environment, args.toArray(String[]::new))) {
                int port = server.port();
                String token;
                try (var right = new LineClient(port)) {
                    assertThat(right.request("auth", "_", "open-sesame")).isEqualTo("ok");
                    token = right.lock("printer", "0");
                    assertThat(right.request("r", "printer", token + " x")).isEqualTo("error");
                    assertThat(right.request("nope", "", "open-sesame")).isEqualTo("error");
                }
                try (var wrong = new LineClient(port)) {
                    assertThat(wrong.request("auth", "_", "wrong-sesame")).isEqualTo("error_auth");
                    assertThat(wrong.receive()).isNull();
                }
                server.awaitLog(line -> line.contains("authentication failed"));
                server.signal("TERM");
                assertThat(server.status()).isZero();
                assertThat(server.out()).isEmpty();
                assertThat(server.err())
                        .anyMatch(line -> line.contains("level=DEBUG"))
                        .allMatch(line -> line.matches(LOG_LINE))
                        .noneMatch(line -> line.contains("sesame"))
                        .noneMatch(line -> line.contains(token));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"serve,--help", "dflockd,--version"})
    void help_and_version_go_to_standard_output(String command, String arg) throws Exception {
        try (var process = ServerProcess.start(command, arg)) {
            assertThat(process.status()).isZero();
            assertThat(process.out()).isNotEmpty();
            assertThat(process.err()).isEmpty();
        }
    }

    @Test
    void dflockd_prefers_the_variable_and_serve_the_flag() throws Exception {
        Map<String, String> environment =
                Map.of("DFLOCKD_DEFAULT_LEASE_TTL_S", "44", "HOLDFAST_DEFAULT_LEASE_TTL", "55");
        try (var server = ServerProcess.start(environment, dflockd("--default-lease-ttl", "11"));
                var client = new LineClient(server.port())) {
            assertThat(client.request("l", "printer", "0")).endsWith(" 44");
        }
        try (var server = ServerProcess.start(environment, serve("--default-lease-ttl", "11"));
                var client = new LineClient(server.port())) {
            assertThat(client.request("l", "printer", "0")).endsWith(" 11");
        }
        try (var server = ServerProcess.start(environment, serve());
                var client = new LineClient(server.port())) {
            assertThat(client.request("l", "printer", "0")).endsWith(" 55");
        }
    }
}
