package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.cli.HoldfastJvm;
import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;
import io.holdfast.testsupport.ProcessSignals;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import javax.net.ssl.SSLException;

@DisplayName("SIGHUP")
@Execution(ExecutionMode.CONCURRENT)
class HangupIT {
    @TempDir private static Path identities;
    private static PemFiles first;
    private static PemFiles second;

    @TempDir private Path folder;
    private Path certificate;
    private Path key;
    private Path secret;

    @BeforeAll
    static void makeIdentities() throws Exception {
        first = PemFiles.create(Files.createDirectory(identities.resolve("first")));
        second = PemFiles.create(Files.createDirectory(identities.resolve("second")));
    }

    @BeforeEach
    void writeFiles() throws IOException {
        certificate = folder.resolve("cert.pem");
        key = folder.resolve("key.pem");
        use(first);
        secret = Files.writeString(folder.resolve("secret"), "old-secret\n");
    }

    private void use(PemFiles identity) throws IOException {
        Files.copy(identity.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(identity.key(), key, StandardCopyOption.REPLACE_EXISTING);
    }

    private static Socket connect(int port, PemFiles trusted) throws IOException {
        return trusted.trusting().getSocketFactory().createSocket("127.0.0.1", port);
    }

    /** A persistent connection to the HTTP API. */
    private record Http(Socket socket, BufferedReader in) implements AutoCloseable {
        static Http open(Socket socket) throws IOException {
            var in = new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1);
            return new Http(socket, new BufferedReader(in));
        }

        /** Returns the status of the response. */
        int get(String token) throws IOException {
            String request =
                    "GET /v1/keys HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
                            + token
                            + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            int status = Integer.parseInt(in.readLine().split(" ", -1)[1]);
            int length = 0;
            for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                    length = Integer.parseInt(line.substring(15).strip());
                }
            }
            assertThat(in.skip(length)).isEqualTo(length);
            return status;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void sighup_reloads_secrets_and_certificates_for_new_connections_and_keeps_existing_ones()
            throws Exception {
        try (var server =
                        ServerProcess.start(
                                "serve",
                                "--listen",
                                "dflockds://127.0.0.1:0,lockds://127.0.0.1:0,https://127.0.0.1:0",
                                "--tls-cert",
                                certificate.toString(),
                                "--tls-key",
                                key.toString(),
                                "--auth-token-file",
                                secret.toString());
                var holder = new LineClient(connect(server.portOf("dflockds"), first));
                var http = Http.open(connect(server.portOf("https"), first))) {
            assertThat(holder.request("auth", "", "old-secret")).isEqualTo("ok");
            String token = holder.lock("deploy", "0 60");
            assertThat(http.get("old-secret")).isEqualTo(200);

            use(second);
            Files.writeString(secret, "new-secret\n");
            server.signal("HUP");
            assertThat(server.awaitLog(line -> line.contains("SIGHUP")))
                    .contains("level=INFO", "reloaded");

            assertThat(holder.request("n", "deploy", token + " 60")).isEqualTo("ok 60");
            assertThat(http.get("old-secret")).isEqualTo(200);
            assertThat(http.get("new-secret")).isEqualTo(200);
            assertNew(server);
            for (String protocol : List.of("dflockds", "lockds", "https")) {
                assertThatThrownBy(
                                () -> {
                                    try (var old = connect(server.portOf(protocol), first)) {
                                        old.getOutputStream().write('\n');
                                    }
                                })
                        .isInstanceOf(SSLException.class);
            }

            // now invalid files, one after the other
            Files.writeString(key, "not a key\n");
            Files.writeString(secret, "newest-secret\n");
            assertKept(server, key);
            Files.copy(first.key(), key, StandardCopyOption.REPLACE_EXISTING);
            assertKept(server, certificate);
            use(second);
            Files.writeString(secret, "\n");
            assertKept(server, secret);
            Files.delete(secret);
            assertKept(server, secret);
            assertThat(server.err()).noneMatch(line -> line.matches(".*(old|new|newest)-secret.*"));
            assertThat(holder.request("r", "deploy", token)).isEqualTo("ok");
        }
    }

    /** Asserts that a reload fails with one log line, and that nothing has changed. */
    private static void assertKept(ServerProcess server, Path bad) throws Exception {
        long before = refusals(server);
        server.signal("HUP");
        await().until(() -> refusals(server) == before + 1);
        assertThat(server.err().getLast())
                .contains("level=ERROR", "not reloaded; the old ones stay in use: ")
                .contains(bad.toString());
        assertNew(server);
    }

    private static long refusals(ServerProcess server) {
        return server.err().stream().filter(line -> line.contains("not reloaded")).count();
    }

    private static void assertNew(ServerProcess server) throws IOException {
        try (var client = new LineClient(connect(server.portOf("dflockds"), second));
                var refused = new LineClient(connect(server.portOf("dflockds"), second));
                var lockd = new LineClient(connect(server.portOf("lockds"), second));
                var http = Http.open(connect(server.portOf("https"), second))) {
            assertThat(client.request("auth", "", "new-secret")).isEqualTo("ok");
            assertThat(client.request("l", "deploy", "0")).isEqualTo("timeout");
            assertThat(refused.request("auth", "", "old-secret")).isEqualTo("error_auth");
            assertThat(lockd.request("g deploy", "g deploy", "g deploy")).startsWith("0 ");
            assertThat(http.get("old-secret")).isEqualTo(401);
            assertThat(http.get("new-secret")).isEqualTo(200);
        }
    }

    @Test
    @NeedsProgram(OutsideProgram.SCRIPT)
    void closing_the_terminal_drains_the_server(@TempDir Path logs) throws Exception {
        Path log = logs.resolve("log");
        String command =
                HoldfastJvm.command(128, List.of("dflockd", "--port", "0")).stream()
                        .map(word -> "'" + word + "'")
                        .collect(Collectors.joining(" "));
        var builder =
                new ProcessBuilder(
                        ProcessSignals.withDefaultSignals(
                                List.of(
                                        "script",
                                        "-qfc",
                                        "exec " + command + " 2>'" + log + "'",
                                        "/dev/null")));
        builder.environment().put("SHELL", "/bin/sh");
        Process terminal = builder.redirectErrorStream(true).start();
        List<ProcessHandle> started = new ArrayList<>();
        try {
            await().until(() -> Files.exists(log) && Files.readString(log).contains("listening"));
            terminal.descendants().forEach(started::add);
            String text = Files.readString(log);
            int port = Integer.parseInt(text.replaceAll("(?s).*addr=127.0.0.1:(\\d+) .*", "$1"));
            try (var holder = new LineClient(port)) {
                String token = holder.lock("deploy", "0 60");
                terminal.destroyForcibly();
                await().until(() -> Files.readString(log).contains("draining connections"));
                assertThat(holder.request("r", "deploy", token)).isEqualTo("ok");
                assertThat(holder.receive()).isNull();
            }
            for (ProcessHandle process : started) {
                process.onExit().get(60, TimeUnit.SECONDS);
            }
            assertThat(Files.readString(log)).doesNotContain("second signal", "SIGHUP");
        } finally {
            terminal.destroyForcibly();
            started.forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void an_ignored_sighup_stays_ignored() throws Exception {
        try (var server =
                ServerProcess.startFrom(
                        List.of("sh", "-c", "trap '' HUP; exec \"$@\"", "sh"),
                        "serve",
                        "--listen",
                        "dflockd://127.0.0.1:0")) {
            server.port();
            server.signal("HUP");
            server.signal("TERM");
            assertThat(server.status()).isZero();
            assertThat(server.err()).noneMatch(line -> line.contains("HUP"));
        }
    }
}
