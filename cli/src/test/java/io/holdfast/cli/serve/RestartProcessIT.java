package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

@DisplayName("A server process with its state in memory")
@Execution(ExecutionMode.CONCURRENT)
class RestartProcessIT {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir private Path folder;
    private int port;

    @BeforeEach
    void choosePort() throws IOException {
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
    }

    private ServerProcess start(String... more) throws IOException {
        List<String> args = new ArrayList<>(List.of("serve", "--listen"));
        args.add("dflockd://127.0.0.1:" + port + ",lockd://127.0.0.1:0,http://127.0.0.1:0");
        args.addAll(List.of("--state-dir", folder.toString()));
        args.addAll(List.of(more));
        return ServerProcess.start(args.toArray(String[]::new));
    }

    private Holdfast connect() {
        return Holdfast.builder().address("127.0.0.1:" + port).grace(LONG).connect();
    }

    @Test
    void after_a_kill_nothing_is_granted_while_a_client_may_hold_its_lock() throws Exception {
        try (ServerProcess first = start()) {
            first.port();
            try (Holdfast holder = connect();
                    Holdfast other = connect()) {
                Hold hold = holder.lock("deploy").acquire(LONG);
                first.signal("KILL");
                assertThat(first.status()).isEqualTo(137);
                try (ServerProcess second = start()) {
                    assertThat(second.awaitLog(line -> line.contains("restart quarantine")))
                            .contains("level=WARN", "for 30 s", " until=2");
                    CompletableFuture<Hold> waits = other.lock("deploy").acquireAsync(LONG);
                    try (var line = new LineClient(second.port());
                            var lockd = new LockdSocket(second.portOf("lockd"))) {
                        await().until(
                                        () ->
                                                line.request("stats", "", "")
                                                        .contains("\"waiters\":1"));
                        assertThat(line.request("l", "deploy", "0")).isEqualTo("timeout");
                        assertThat(lockd.request("g deploy"))
                                .isEqualTo("0 Lock Get Failure: deploy");
                    }
                    assertThat(other.lock("deploy").tryAcquire()).isEmpty();
                    assertThat(get(second.portOf("http"), "/v1/overview"))
                            .containsPattern("\"quarantine_left_s\":[12]?\\d\\.");
                    assertThat(get(second.portOf("http"), "/v1/keys/deploy"))
                            .containsPattern("\"quarantine_left_s\":[12]?\\d\\.");
                    assertThat(waits).isNotDone();
                    hold.close();
                    second.signal("TERM");
                    assertThat(second.status()).isZero();
                }
                assertThat(folder.resolve("127.0.0.1-" + port + ".run")).exists();
            }
        }
        try (ServerProcess third = start("--restart-quarantine", "0");
                var client = new LineClient(third.port())) {
            assertThat(client.lock("deploy", "0")).isNotEmpty();
        }
    }

    private static String get(int port, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + port + path);
            return client.send(
                            HttpRequest.newBuilder(uri).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    @Test
    void a_clean_stop_leaves_no_run_file() throws Exception {
        try (ServerProcess server = start()) {
            server.port();
            try (Holdfast client = connect();
                    Hold _ = client.lock("deploy").acquire(LONG)) {
                assertThat(folder).isNotEmptyDirectory();
            }
            server.signal("TERM");
            assertThat(server.status()).isZero();
            assertThat(folder).isEmptyDirectory();
        }
    }
}
