package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.testsupport.FreePorts;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

@DisplayName("A cluster that is restored from a backup, and whose nodes are killed meanwhile")
class RestoredClusterIT {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir private Path folder;

    private final List<ServerProcess> all = new ArrayList<>();
    private String cluster = "";

    @BeforeEach
    void restoreOnOneNode() throws Exception {
        cluster =
                "n1=127.0.0.1:%d,n2=127.0.0.1:%d,n3=127.0.0.1:%d"
                        .formatted(FreePorts.next(), FreePorts.next(), FreePorts.next());
        String origin = folder.resolve("origin").toString();
        String copy = folder.resolve("copy").toString();
        ServerProcess server =
                keep(
                        ServerProcess.start(
                                "serve",
                                "--listen",
                                "dflockd://127.0.0.1:0",
                                "--data-dir",
                                origin));
        try (var client = new LineClient(server.port())) {
            assertThat(client.request("kset", "colour", "green")).isEqualTo("ok");
        }
        cli("backup", "--data-dir", origin, copy);
        kill(server);
        cli("restore", copy, "--cluster", cluster, "--node", "n1", "--data-dir", data("n1"));
    }

    @AfterEach
    void stop() {
        all.forEach(ServerProcess::close);
    }

    private ServerProcess keep(ServerProcess process) {
        all.add(process);
        return process;
    }

    private String data(String node) {
        return folder.resolve(node).toString();
    }

    private ServerProcess start(String node) throws IOException {
        return keep(
                ServerProcess.start(
                        "serve",
                        "--listen",
                        "dflockd://127.0.0.1:0",
                        "--cluster",
                        cluster,
                        "--node",
                        node,
                        "--data-dir",
                        data(node)));
    }

    private static void kill(ServerProcess server) throws IOException, InterruptedException {
        server.signal("KILL");
        server.status();
    }

    private static String cli(String... args) throws IOException, InterruptedException {
        try (ServerProcess command =
                ServerProcess.start(
                        Stream.concat(Stream.of("cluster"), Stream.of(args))
                                .toArray(String[]::new))) {
            assertThat(command.status()).as("%s", command.err()).isZero();
            return String.join("\n", command.out());
        }
    }

    private void awaitClusterId(String node) {
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(5))
                .ignoreExceptions()
                .until(
                        () ->
                                Files.readString(
                                                folder.resolve(node).resolve("holdfast.properties"))
                                        .contains("cluster-id"));
    }

    /** Waits until the log of a node has been created. */
    private void awaitLog(String node) {
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(5))
                .ignoreExceptions()
                .until(
                        () -> {
                            try (Stream<Path> files = Files.walk(folder.resolve(node))) {
                                return files.anyMatch(
                                        file ->
                                                String.valueOf(file.getFileName())
                                                        .startsWith("log_"));
                            }
                        });
    }

    private void empty(String node) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(node))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void requireValue(ServerProcess server) throws IOException {
        try (var client = new LineClient(server.port())) {
            await().atMost(LONG)
                    .untilAsserted(
                            () ->
                                    assertThat(client.request("kget", "colour", ""))
                                            .isEqualTo("ok green"));
        }
    }

    @Test
    void crashes_at_any_point_are_repaired_by_restarts() throws Exception {
        ServerProcess n1 = start("n1");
        n1.awaitLog(line -> line.contains("a new cluster is formed from the restored backup"));
        kill(n1);
        n1 = start("n1");
        ServerProcess n2 = start("n2");
        awaitClusterId("n2"); // n1 has admitted it, and not added it yet
        kill(n2);
        kill(n1);
        n2 = start("n2");
        n1 = start("n1");
        awaitLog("n2"); // n1 is adding it
        kill(n1);
        kill(n2);
        n1 = start("n1");
        n2 = start("n2");
        requireValue(n1);
        requireValue(n2);
    }

    @Test
    void a_node_that_loses_its_directory_while_it_joins_can_join_again() throws Exception {
        ServerProcess n1 = start("n1");
        ServerProcess n2 = start("n2");
        awaitClusterId("n2");
        kill(n2);
        empty("n2");
        assertThat(n1.err()).noneMatch(line -> line.contains("msg=listening"));
        n2 = start("n2");
        ServerProcess n3 = start("n3");
        requireValue(n3);
        requireValue(n2);
        requireValue(n1);
    }
}
