package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.verification.bench.CommandRun;
import io.holdfast.verification.bench.LineServer;
import io.holdfast.verification.bench.LineServer.Request;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

@DisplayName("The soak command, on the wire")
@Timeout(120)
class SoakCommandIT {
    private static CommandRun soak(LineServer server, String... more) {
        var arguments = new ArrayList<>(List.of("--server", server.address(), "--cycles", "1"));
        arguments.addAll(List.of(more));
        return CommandRun.of(
                new SoakCommand(Map.of(), SoakMain.class), arguments.toArray(String[]::new));
    }

    private static void assertFails(CorrectServer rule, String failure) throws IOException {
        try (var server = rule.start()) {
            var run = soak(server);
            assertThat(run.err().lines().filter(line -> line.startsWith("FAIL")))
                    .singleElement()
                    .asString()
                    .matches(failure);
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).doesNotContain("stopped after");
            await().until(() -> server.openConnections() == 0);
        }
    }

    @Test
    void a_run_against_a_correct_server_passes() throws IOException {
        try (var server = new CorrectServer().start()) {
            var run =
                    CommandRun.of(
                            new SoakCommand(Map.of(), SoakMain.class),
                            "--server",
                            server.address(),
                            "--cycles=2");
            var time = "[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6} ";
            assertThat(run.err())
                    .matches(
                            time
                                    + "soak: server="
                                    + server.address()
                                    + " workers=4 rounds/cycle=20\\R"
                                    + time
                                    + "soak: press Ctrl-C to stop\\R"
                                    + time
                                    + "cycle 1 complete \\([0-9]+\\.[0-9]{3}s\\)\\R"
                                    + time
                                    + "cycle 2 complete \\([0-9]+\\.[0-9]{3}s\\)\\R"
                                    + time
                                    + "soak: stopped after 2 cycles\\R");
            assertThat(run.out()).isEmpty();
            assertThat(run.status()).isZero();
            await().until(() -> server.openConnections() == 0);
        }
    }

    @Test
    void each_cycle_runs_every_feature_in_order_with_new_keys() throws IOException {
        Queue<String> sent = new ConcurrentLinkedQueue<>();
        var rule =
                new CorrectServer()
                        .except(
                                request -> {
                                    sent.add(
                                            request.command()
                                                    + " "
                                                    + request.key()
                                                    + " "
                                                    + request.argument());
                                    return null;
                                });
        try (var server = rule.start()) {
            soak(server, "--workers", "1", "--rounds-per-cycle", "1");
            soak(server, "--workers", "1", "--rounds-per-cycle", "1");
        }
        var prefixes = sent.stream().map(line -> line.replaceAll("^\\w+ (soak_\\w{16})?.*", "$1"));
        assertThat(prefixes.filter(prefix -> !prefix.isEmpty()).distinct()).hasSize(2);
        var plain = sent.stream().map(SoakCommandIT::masked).toList();
        int half = plain.size() / 2;
        assertThat(plain.subList(half, plain.size())).isEqualTo(plain.subList(0, half));
        assertThat(String.join("\n", plain.subList(0, half)) + "\n")
                .isEqualTo(
                        """
                        l P_lock 5 10
                        n P_lock T 10
                        r P_lock T
                        sl P_sem 10 3 10
                        sr P_sem T
                        e P_twophase 10
                        r P_twophase T
                        get P_counter_0
                        incr P_counter_0 1
                        decr P_counter_0 1
                        incr P_counter_0 1
                        get P_counter_0
                        cset P_counter_0 0
                        get P_counter_0
                        incr P_counter 1
                        get P_counter
                        decr P_counter 1
                        get P_counter
                        cset P_counter 0
                        get P_counter
                        kset P_kv_0 [0 0] 0
                        kget P_kv_0
                        kdel P_kv_0
                        kget P_kv_0
                        kset P_kv [0 0] 0
                        kget P_kv
                        kdel P_kv
                        kget P_kv
                        kset P_ttl_ends_0 ephemeral 1
                        kset P_ttl_shortened_0 ephemeral 0
                        kset P_ttl_shortened_0 ephemeral 1
                        kset P_ttl_kept_0 ephemeral 1
                        kset P_ttl_prolonged_0 ephemeral 1
                        kget P_ttl_ends_0
                        kget P_ttl_shortened_0
                        kget P_ttl_kept_0
                        kget P_ttl_prolonged_0
                        kset P_ttl_kept_0 kept 0
                        kset P_ttl_prolonged_0 prolonged 60
                        kget P_ttl_ends_0
                        kget P_ttl_shortened_0
                        kget P_ttl_kept_0
                        kget P_ttl_prolonged_0
                        kset P_ttl_ends_0 back 0
                        kget P_ttl_ends_0
                        kdel P_ttl_ends_0
                        kget P_ttl_ends_0
                        kdel P_ttl_shortened_0
                        kget P_ttl_shortened_0
                        kdel P_ttl_kept_0
                        kget P_ttl_kept_0
                        kdel P_ttl_prolonged_0
                        kget P_ttl_prolonged_0
                        listen P_signals.news
                        listen P_signals_end
                        listen P_signals.*
                        listen P_signals_end
                        listen P_signals.>
                        listen P_signals_end
                        signal P_signals.news [0 0]
                        signal P_signals_end [0 1]
                        unlisten P_signals.news
                        unlisten P_signals.*
                        unlisten P_signals.>
                        signal P_signals.news late
                        unlisten P_signals_end
                        unlisten P_signals_end
                        unlisten P_signals_end
                        listen P_own.0.news
                        listen P_own.0.>
                        signal P_own.0.news [0 0]
                        signal P_own.0 nobody
                        unlisten P_own.0.news
                        unlisten P_own.0.>
                        listen P_groups pair
                        listen P_groups_end
                        listen P_groups pair
                        listen P_groups_end
                        listen P_groups other
                        listen P_groups_end
                        listen P_groups
                        listen P_groups_end
                        signal P_groups [0 0]
                        signal P_groups_end [0 1]
                        unlisten P_groups pair
                        unlisten P_groups pair
                        unlisten P_groups other
                        unlisten P_groups
                        signal P_groups late
                        unlisten P_groups_end
                        unlisten P_groups_end
                        unlisten P_groups_end
                        unlisten P_groups_end
                        rpush P_list_0 [0 0]
                        rpush P_list_0 [1 0]
                        rpush P_list_0 [2 0]
                        llen P_list_0
                        lrange P_list_0 0 -1
                        lpop P_list_0
                        lpop P_list_0
                        lpop P_list_0
                        lpop P_list_0
                        llen P_list_0
                        rpush P_list [0 0]
                        lpop P_list
                        lpop P_list
                        llen P_list
                        stats _
                        """);
    }

    /**
     * Replaces the prefix of the cycle by P, a token by T and the text of an item by [worker
     * number].
     */
    private static String masked(String line) {
        return line.replaceAll("soak_\\w{16}", "P")
                .replaceAll("[0-9a-f]{32}", "T")
                .replaceAll(" (\\d+ \\d+) is \"<b>\" & caf\u00e9 ", "[$1]")
                .stripTrailing();
    }

    @Test
    void a_lock_granted_twice_fails_the_run() throws IOException {
        var tokens = new CorrectLocks();
        var over = new CountDownLatch(1);
        LineServer.Rule rule =
                request -> {
                    if (!request.command().equals("l")) {
                        over.await(); // the renewal keeps the first worker inside
                        return null;
                    }
                    synchronized (tokens) {
                        return "ok " + tokens.nextToken() + " 10";
                    }
                };
        try (var server = LineServer.start(rule)) {
            var run = soak(server, "--workers", "2");
            over.countDown();
            assertThat(run.err())
                    .containsPattern(
                            "FAIL \\[locks]: soak_\\w+_lock has 2 holders at once, allowed: 1");
            assertThat(run.status()).isEqualTo(1);
            await().until(() -> server.openConnections() == 0);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    l     | timeout         | FAIL \\[locks]: l .+: got "timeout", want .*
                    l     | ok XYZ 10       | FAIL \\[locks]: .*"XYZ" is not 32 lower-case hex.*
                    n     | error           | FAIL \\[locks]: n .+: got "error", want "ok 10"
                    n     | ok 33           | FAIL \\[locks]: n .+: got "ok 33", want "ok 10"
                    r     | error           | FAIL \\[locks]: r .+: got "error", want "ok"
                    sl    | error_max_locks | FAIL \\[semaphores]: sl .+: got "error_max_lo.*
                    sr    | error           | FAIL \\[semaphores]: sr .+: got "error", want.*
                    e     | ok              | FAIL \\[two-phase]: e .+: got "ok", want.*
                    w     | timeout         | FAIL \\[two-phase]: w .+: got "timeout", want.*
                    incr  | error           | FAIL \\[counters]: incr .+: got "error", want.*
                    kget  | ok x            | FAIL \\[kv]: kget .+: got "ok x", want.*
                    lpop  | nil             | FAIL \\[lists]: lpop .+: got "nil", want.*
                    """)
    void a_wrong_response_fails_the_run(String command, String response, String failure)
            throws IOException {
        // A wait is sent only after "queued", so respond with that to reach the command.
        assertFails(
                new CorrectServer()
                        .except(
                                request ->
                                        request.command().equals(command)
                                                ? response
                                                : request.command().equals("e")
                                                                && command.equals("w")
                                                        ? "queued"
                                                        : null),
                failure);
    }

    @Test
    void a_token_granted_twice_fails_the_run() throws IOException {
        var rule =
                new CorrectLocks() {
                    @Override
                    String nextToken() {
                        return "0123456789abcdef0123456789abcdef";
                    }
                };
        assertFails(
                new CorrectServer().with(rule),
                "FAIL \\[locks]: soak_\\w+: the same token was granted twice");
    }

    @Test
    void decreasing_fences_fail_the_run() throws IOException {
        var rule =
                new CorrectLocks() {
                    private long next = 1L << 50;

                    @Override
                    String nextToken() {
                        next--;
                        return String.format(Locale.ROOT, "%016x%016x", next, next);
                    }
                };
        assertFails(
                new CorrectServer().with(rule),
                "FAIL \\[locks]: soak_\\w+: fence \\w{16} came after \\w{16}");
    }

    @Test
    void a_hold_left_after_its_release_fails_the_run() throws IOException {
        var last = new ConcurrentLinkedQueue<String>();
        var rule =
                new CorrectServer()
                        .except(
                                request -> {
                                    if (request.command().equals("sl")) {
                                        last.add(request.key());
                                    }
                                    return request.command().equals("stats")
                                            ? "ok {\"locks\":[],\"semaphores\":[{\"key\":\""
                                                    + last.peek()
                                                    + "\"}]}"
                                            : null;
                                });
        assertFails(rule, "FAIL \\[stats-check]: left over in semaphores: \"soak_\\w+_sem\"");
    }

    @Test
    void the_run_fails_when_the_server_closes_a_connection() throws IOException {
        var rule =
                new CorrectLocks() {
                    @Override
                    public @Nullable String answer(Request request) {
                        return null;
                    }
                };
        assertFails(new CorrectServer().with(rule), "FAIL \\[locks]: .+");
    }

    @Test
    void the_run_fails_when_no_server_is_listening() throws IOException {
        int port;
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        var run =
                CommandRun.of(
                        new SoakCommand(Map.of(), SoakMain.class), "--server", "127.0.0.1:" + port);
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("FAIL [locks]: cannot connect to 127.0.0.1:" + port + ": ");
    }

    @Test
    void every_connection_is_authenticated(@TempDir Path folder) throws IOException {
        var rule =
                new CorrectServer()
                        .except(
                                request ->
                                        !request.command().equals("auth")
                                                ? null
                                                : request.argument().equals("s3cret")
                                                        ? "ok"
                                                        : "error_auth");
        try (var server = rule.start()) {
            var file = Files.writeString(folder.resolve("token"), "s3cret\n").toString();
            assertThat(soak(server, "--token-file", file).status()).isZero();
            Files.writeString(folder.resolve("token"), "guess");
            var wrong = soak(server, "--token-file", file);
            assertThat(wrong.status()).isEqualTo(1);
            assertThat(wrong.err())
                    .contains("FAIL [locks]: authentication failed: got \"error_auth\"")
                    .doesNotContain("guess");
        }
    }

    @Test
    void a_signal_ends_the_run_with_status_0() throws IOException, InterruptedException {
        try (var server = new CorrectServer().start()) {
            var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
            var process =
                    new ProcessBuilder(
                                    java,
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    SoakMain.class.getName(),
                                    "--server",
                                    server.address())
                            .start();
            try (var err =
                    new BufferedReader(
                            new InputStreamReader(
                                    process.getErrorStream(), StandardCharsets.UTF_8))) {
                var lines = new ArrayList<String>();
                for (var line = err.readLine(); line != null; line = err.readLine()) {
                    lines.add(line);
                    if (line.contains("cycle 1 complete")) {
                        process.toHandle().destroy(); // leaves the streams open
                    }
                }
                assertThat(lines).last().asString().matches(".* soak: stopped after [0-9]+ cycles");
                assertThat(process.waitFor()).isZero();
            } finally {
                process.destroyForcibly();
            }
        }
    }
}
