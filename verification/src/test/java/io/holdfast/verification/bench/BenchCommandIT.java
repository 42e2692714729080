package io.holdfast.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.util.stream.Collectors.groupingBy;

import io.holdfast.verification.bench.LineServer.Request;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

@DisplayName("The bench command against a server")
@Timeout(120)
class BenchCommandIT {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();

    private String grant(Request request) {
        requests.add(request);
        return switch (request.command()) {
            case "l" -> "ok " + TOKEN + " 10";
            case "r" -> request.argument().equals(TOKEN) ? "ok" : "error";
            default -> "error";
        };
    }

    private static CommandRun bench(String server, String... more) {
        var arguments = new ArrayList<>(List.of("--servers", server));
        arguments.addAll(List.of(more));
        return CommandRun.of(new BenchCommand(Map.of()), arguments.toArray(String[]::new));
    }

    static Stream<String> transports() {
        return Stream.of(BenchNetworkIo.values())
                .filter(BenchNetworkIo::available)
                .map(BenchNetworkIo::toString);
    }

    @ParameterizedTest
    @MethodSource("transports")
    void a_run_prints_the_header_and_the_statistics_of_all_rounds(String transport)
            throws IOException {
        try (var server = LineServer.start(this::grant)) {
            var run =
                    bench(
                            server.address(),
                            "--transport",
                            transport,
                            "--workers",
                            "3",
                            "--rounds",
                            "20");
            assertThat(run.err()).isEmpty();
            assertThat(run.status()).isZero();
            assertThat(run.out().lines())
                    .startsWith(
                            "bench: 3 workers x 20 rounds (key_prefix=\"bench\", conns/worker=1)",
                            "",
                            "  total ops : 60")
                    .hasSize(13);
            await().until(() -> server.openConnections() == 0);
        }
    }

    @Test
    void each_worker_alternates_acquire_and_release_on_its_own_key() throws IOException {
        try (var server = LineServer.start(this::grant)) {
            bench(server.address(), "--workers", "2", "--rounds", "3", "--warmup", "1");
            var byKey = requests.stream().collect(groupingBy(Request::key));
            assertThat(byKey).hasSize(2);
            assertThat(byKey.values())
                    .allSatisfy(
                            own ->
                                    assertThat(own.stream().map(r -> r.command() + r.argument()))
                                            .hasSize(8)
                                            .startsWith("l30 10", "r" + TOKEN, "l30 10")
                                            .endsWith("r" + TOKEN));
        }
    }

    @Test
    void lease_0_uses_the_server_default() throws IOException {
        try (var server = LineServer.start(this::grant)) {
            bench(server.address(), "--workers", "1", "--rounds", "1", "--lease", "0");
            assertThat(requests).first().extracting(Request::argument).isEqualTo("30");
        }
    }

    @Test
    void a_worker_uses_its_connections_round_robin() throws IOException {
        try (var server = LineServer.start(this::grant)) {
            bench(
                    server.address(),
                    "--workers",
                    "1",
                    "--rounds",
                    "7",
                    "--warmup",
                    "0",
                    "--connections",
                    "3");
            assertThat(server.accepted()).isEqualTo(3);
            var used = requests.stream().map(Request::connection).toList();
            assertThat(used).hasSize(14);
            var first = used.subList(0, 6);
            assertThat(first).containsOnly(1, 2, 3);
            for (int i = 0; i < used.size(); i++) {
                assertThat(used.get(i)).isEqualTo(first.get(i % 6));
                assertThat(used.get(i)).isEqualTo(used.get(i / 2 * 2));
            }
        }
    }

    @Test
    void the_workers_are_spread_over_all_servers() throws IOException {
        try (var one = LineServer.start(this::grant);
                var two = LineServer.start(this::grant)) {
            var run = bench(one.address() + "," + two.address(), "--workers", "5", "--rounds", "2");
            assertThat(run.status()).isZero();
            assertThat(one.accepted()).isEqualTo(3);
            assertThat(two.accepted()).isEqualTo(2);
        }
    }

    @Test
    void with_shared_key_all_workers_use_one_key() throws IOException {
        try (var server = LineServer.start(this::grant)) {
            bench(server.address(), "--key", "door", "--shared-key", "--workers", "4");
            assertThat(requests.stream().map(Request::key).distinct()).containsExactly("door");
        }
    }

    @Test
    void measured_rounds_start_after_the_last_warm_up_round() throws IOException {
        try (var server = LineServer.start(this::grant)) {
            bench(server.address(), "--workers", "4", "--rounds", "5", "--warmup", "3");
            var acquires =
                    requests.stream()
                            .filter(r -> r.command().equals("l"))
                            .map(Request::key)
                            .toList();
            var warmup = acquires.subList(0, 12);
            assertThat(warmup.stream().collect(groupingBy(key -> key)).values())
                    .allSatisfy(own -> assertThat(own).hasSize(3));
        }
    }

    @Test
    void json_output_is_a_single_object() throws IOException {
        try (var server = LineServer.start(this::grant)) {
            var run = bench(server.address(), "--json", "--workers", "2", "--rounds", "4");
            assertThat(run.status()).isZero();
            assertThat(run.out().lines())
                    .singleElement()
                    .asString()
                    .startsWith("{")
                    .endsWith("}")
                    .contains("\"total_ops\":8,");
        }
    }

    @Test
    void tokens_of_any_length_are_accepted() throws IOException {
        var count = new AtomicInteger();
        var granted = new ConcurrentLinkedQueue<String>();
        LineServer.Rule rule =
                request -> {
                    if (request.command().equals("r")) {
                        return granted.remove(request.argument()) ? "ok" : "error";
                    }
                    var token = "t".repeat(1 + count.getAndIncrement() % 40);
                    granted.add(token);
                    return "ok " + token + " 10";
                };
        try (var server = LineServer.start(rule)) {
            assertThat(bench(server.address(), "--workers", "1").err()).isEmpty();
        }
    }

    @Test
    void a_failed_connect_names_the_worker() throws IOException {
        int port;
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        var run = bench("127.0.0.1:" + port, "--workers", "1");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).startsWith("bench: 1 workers");
        assertThat(run.err().strip())
                .isEqualTo(
                        "worker 0 error: cannot connect to 127.0.0.1:"
                                + port
                                + ": connection refused");
    }

    @Test
    void an_unreachable_server_ends_the_run_and_closes_the_other_connections() throws IOException {
        int port;
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        try (var server = LineServer.start(this::grant)) {
            var run = bench(server.address() + ",127.0.0.1:" + port, "--workers", "6");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err().lines()).singleElement().asString().contains("refused");
            await().until(() -> server.openConnections() == 0);
        }
    }

    @Test
    void a_connection_closed_in_warm_up_ends_the_run() throws IOException {
        LineServer.Rule rule = request -> request.connection() == 2 ? null : grant(request);
        try (var server = LineServer.start(rule)) {
            var run = bench(server.address(), "--workers", "4", "--rounds", "1000");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err().strip())
                    .matches("worker [0-3] error: the server closed the connection");
            await().until(() -> server.openConnections() == 0);
        }
    }

    @Test
    void a_connection_closed_in_a_measured_round_ends_the_run() throws IOException {
        var seen = new AtomicInteger();
        LineServer.Rule rule = r -> seen.incrementAndGet() > 100 ? null : grant(r);
        try (var server = LineServer.start(rule)) {
            var run = bench(server.address(), "--workers", "4", "--warmup", "2");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains("error: the server closed the connection");
        }
    }

    @Test
    void an_unexpected_response_is_printed() throws IOException {
        try (var server = LineServer.start(_ -> "error_max_locks")) {
            var run = bench(server.address(), "--workers", "1");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err().strip())
                    .isEqualTo("worker 0 error: acquire: the server responded \"error_max_locks\"");
        }
    }

    @Test
    void a_second_response_to_one_request_ends_the_run() throws IOException {
        try (var server = LineServer.start(_ -> "ok " + TOKEN + " 10\nok")) {
            var run = bench(server.address(), "--workers", "1");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains("more than one response");
        }
    }

    @Test
    void every_connection_is_authenticated(@TempDir Path folder) throws IOException {
        LineServer.Rule rule =
                request ->
                        request.command().equals("auth")
                                ? request.argument().equals("s3cret") ? "ok" : "error_auth"
                                : grant(request);
        try (var server = LineServer.start(rule)) {
            var file = Files.writeString(folder.resolve("token"), "s3cret\n").toString();
            var right = bench(server.address(), "--token-file", file, "--connections", "2");
            assertThat(right.status()).isZero();
            var environment =
                    Map.of("HOLDFAST_SERVER", server.address(), "HOLDFAST_TOKEN", "guess");
            var wrong = CommandRun.of(new BenchCommand(environment));
            assertThat(wrong.status()).isEqualTo(1);
            assertThat(wrong.err())
                    .contains("authentication failed: the server responded \"error_auth\"")
                    .doesNotContain("guess");
            await().until(() -> server.openConnections() == 0);
        }
    }

    @Test
    void the_servers_can_be_set_by_a_variable() throws IOException {
        try (var one = LineServer.start(this::grant);
                var other = LineServer.start(this::grant)) {
            var servers = one.address() + "," + other.address();
            var run =
                    CommandRun.of(
                            new BenchCommand(Map.of("HOLDFAST_SERVER", servers)), "--workers", "2");
            assertThat(run.err()).isEmpty();
            assertThat(run.status()).isZero();
        }
    }

    @Test
    void tls_trusts_only_the_given_certificates(@TempDir Path folder) throws Exception {
        var identity = TestIdentity.create(folder);
        try (var server = LineServer.start(identity.listener(), this::grant)) {
            var trusting = bench(server.address(), "--tls-ca", identity.certificate().toString());
            assertThat(trusting.err()).isEmpty();
            assertThat(trusting.status()).isZero();
            var doubting = bench(server.address(), "--tls");
            assertThat(doubting.status()).isEqualTo(1);
            assertThat(doubting.err())
                    .contains("error: no trusted authority has signed its certificate");
        }
    }
}
