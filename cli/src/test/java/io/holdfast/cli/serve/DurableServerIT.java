package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cli.cluster.ClusterCommand;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

@DisplayName("A server with a data directory")
class DurableServerIT {
    @TempDir private Path folder;

    private ServerProcess serve(String... more) throws IOException {
        return serveIn("data", more);
    }

    private ServerProcess serveIn(String name, String... more) throws IOException {
        List<String> args =
                new ArrayList<>(
                        List.of(
                                "serve",
                                "--listen",
                                "dflockd://127.0.0.1:0",
                                "--data-dir",
                                folder.resolve(name).toString()));
        args.addAll(List.of(more));
        return ServerProcess.start(args.toArray(String[]::new));
    }

    private static void kill(ServerProcess server) throws IOException, InterruptedException {
        server.signal("KILL");
        server.status();
    }

    /** Asserts that the server ends with status 1, and returns its last line, the reason. */
    private static String refusal(ServerProcess server) throws InterruptedException {
        try (server) {
            assertThat(server.status()).as("%s", server.err()).isEqualTo(1);
            assertThat(server.err()).isNotEmpty();
            return server.err().getLast();
        }
    }

    private Path find(String name) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
            return files.filter(file -> String.valueOf(file.getFileName()).startsWith(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void all_state_survives_a_kill() throws Exception {
        String token;
        try (var server = serve();
                var holder = new LineClient(server.port());
                var waiter = new LineClient(server.port())) {
            token = holder.lock("printer", "0 120");
            assertThat(waiter.request("e", "printer", "120")).isEqualTo("queued");
            assertThat(holder.request("kset", "colour", "green")).isEqualTo("ok");
            assertThat(holder.request("incr", "pages", "7")).isEqualTo("ok 7");
            assertThat(holder.request("rpush", "jobs", "first")).isEqualTo("ok 1");
            assertThat(holder.request("rpush", "jobs", "second")).isEqualTo("ok 2");
            kill(server);
        }
        try (var server = serve("--shutdown-timeout", "1");
                var client = new LineClient(server.port())) {
            assertThat(client.request("l", "printer", "0")).isEqualTo("timeout");
            assertThat(client.request("n", "printer", token + " 60")).startsWith("ok 60");
            assertThat(client.request("kget", "colour", "")).isEqualTo("ok green");
            assertThat(client.request("get", "pages", "")).isEqualTo("ok 7");
            assertThat(client.request("lpop", "jobs", "")).isEqualTo("ok first");
            assertThat(client.request("r", "printer", token)).isEqualTo("ok");
            assertThat(client.lock("printer", "20")).isGreaterThan(token);
            server.signal("TERM");
            assertThat(server.status()).isZero();
        }
    }

    @Test
    void a_running_server_is_backed_up_with_all_that_it_has_acknowledged() throws Exception {
        String data = folder.resolve("data").toString();
        String copy = folder.resolve("copy").toString();
        try (var server = serve();
                var client = new LineClient(server.port())) {
            for (int round = 1; round <= 2; round++) {
                assertThat(client.request("incr", "pages", "1")).isEqualTo("ok " + round);
                assertThat(cluster("backup", "--data-dir", data, copy + round)).isZero();
            }
            kill(server);
        }
        assertThat(folder.resolve("data").resolve("snapshot-request")).doesNotExist();
        String restored = folder.resolve("restored").toString();
        assertThat(cluster("restore", "--data-dir", restored, copy + 2)).isZero();
        try (var server = serveIn("restored");
                var client = new LineClient(server.port())) {
            assertThat(client.request("get", "pages", "")).isEqualTo("ok 2");
        }
    }

    private static int cluster(String... args) {
        return ClusterCommand.create(Map.of()).execute(args);
    }

    @Test
    void sessions_and_locks_survive_a_pause_of_the_process() throws Exception {
        try (var server = serve("--session-timeout", "1");
                var holder = new LineClient(server.port());
                var waiter = new LineClient(server.port())) {
            String token = holder.lock("printer", "0 120");
            assertThat(waiter.request("e", "printer", "120")).isEqualTo("queued");
            long end = System.nanoTime() + Duration.ofMillis(1500).toNanos();
            server.signal("STOP");
            await().until(() -> System.nanoTime() > end);
            server.signal("CONT");
            assertThat(holder.request("n", "printer", token + " 60")).startsWith("ok 60");
            assertThat(holder.request("r", "printer", token)).isEqualTo("ok");
            assertThat(waiter.request("w", "printer", "60")).startsWith("ok ");
        }
    }

    @Test
    void a_renewal_sent_during_a_pause_of_the_process_is_in_time() throws Exception {
        try (var server = serve();
                var holder = new LineClient(server.port());
                var waiter = new LineClient(server.port())) {
            String token = holder.lock("printer", "0 2");
            assertThat(waiter.request("e", "printer", "120")).isEqualTo("queued");
            server.signal("STOP");
            holder.send("n", "printer", token + " 60");
            long end = System.nanoTime() + Duration.ofMillis(2100).toNanos();
            await().until(() -> System.nanoTime() > end);
            server.signal("CONT");
            assertThat(holder.receive()).startsWith("ok 60");
            assertThat(holder.request("r", "printer", token)).isEqualTo("ok");
            assertThat(waiter.request("w", "printer", "60")).startsWith("ok ");
        }
    }

    @Test
    void a_foreign_or_damaged_data_directory_prevents_the_start() throws Exception {
        try (var server = serve();
                var client = new LineClient(server.port())) {
            for (int i = 0; i < 20; i++) {
                client.request("incr", "pages", "1");
            }
            kill(server);
        }
        assertThat(refusal(serve("--node", "other"))).contains("level=ERROR").contains("other");
        assertThat(refusal(serve("--cluster-name", "other"))).contains("not of other");

        Path identity = folder.resolve("data").resolve("holdfast.properties");
        String known = Files.readString(identity);
        Files.writeString(identity, known.replaceFirst("format=\\d+", "format=99"));
        assertThat(refusal(serve())).contains("newer");
        Files.writeString(identity, known);

        Path log = find("log_inprogress");
        byte[] written = Files.readAllBytes(log);
        byte[] damaged = written.clone();
        damaged[200] ^= 1;
        Files.write(log, damaged);
        assertThat(refusal(serve())).contains("the log is damaged").contains("log_inprogress");
        Files.write(log, Arrays.copyOf(written, 200));
        assertThat(refusal(serve())).contains("the log is damaged").contains("current");

        Files.write(log, written);
        try (var server = serve();
                var client = new LineClient(server.port())) {
            assertThat(client.request("get", "pages", "")).isEqualTo("ok 20");
        }
    }
}
