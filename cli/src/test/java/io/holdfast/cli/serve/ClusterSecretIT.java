package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cli.cluster.ClusterCommand;
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
import java.util.List;
import java.util.Map;

@DisplayName("Commands that change a cluster")
class ClusterSecretIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String SECRET = "5ecee75ecee75ecee75ecee75ecee75e";

    @TempDir private Path folder;

    private final List<ServerProcess> all = new ArrayList<>();
    private final List<String> members = new ArrayList<>();
    private String cluster = "";
    private String secret = "";

    @BeforeEach
    void chooseSecretAndPorts() throws IOException {
        secret = Files.writeString(folder.resolve("secret"), SECRET + "\n").toString();
        for (int i = 1; i <= 4; i++) {
            members.add("n" + i + "=127.0.0.1:" + FreePorts.next());
        }
        cluster = String.join(",", members.subList(0, 3));
    }

    @AfterEach
    void stop() {
        all.forEach(ServerProcess::close);
    }

    private ServerProcess start(String node, String list, String... more) throws IOException {
        List<String> args =
                new ArrayList<>(
                        List.of(
                                "serve",
                                "--listen",
                                "dflockd://127.0.0.1:0",
                                "--cluster",
                                list,
                                "--node",
                                node,
                                "--data-dir",
                                folder.resolve(node).toString()));
        args.addAll(List.of(more));
        ServerProcess started = ServerProcess.start(args.toArray(String[]::new));
        all.add(started);
        return started;
    }

    /** The result of a command. */
    private record Ended(int status, String text) {}

    private Ended run(Map<String, String> environment, String... command) {
        List<String> args = new ArrayList<>(List.of(command));
        args.addAll(List.of("--cluster", cluster));
        try (StandardStreams streams = new StandardStreams()) {
            int status = ClusterCommand.create(environment).execute(args.toArray(String[]::new));
            return new Ended(status, streams.out() + String.join("\n", streams.errLines()));
        }
    }

    private void fails(String reason, String... command) {
        Ended ended = run(Map.of(), command);
        assertThat(ended.text()).contains(reason).doesNotContain(SECRET);
        assertThat(ended.status()).isEqualTo(1);
    }

    private void succeeds(String... command) {
        await().atMost(LONG)
                .untilAsserted(
                        () ->
                                assertThat(
                                                run(
                                                        Map.of(
                                                                "HOLDFAST_CLUSTER_SECRET_FILE",
                                                                secret),
                                                        command))
                                        .extracting(Ended::status)
                                        .isEqualTo(0));
    }

    @Test
    void need_the_secret_of_the_cluster_and_status_does_not() throws Exception {
        List<ServerProcess> nodes = new ArrayList<>();
        for (String node : List.of("n1", "n2", "n3")) {
            nodes.add(start(node, cluster, "--cluster-secret-file", secret));
        }
        nodes.forEach(ServerProcess::port);
        await().atMost(LONG).until(() -> run(Map.of(), "status").text().contains("leader"));

        String required = "run the command with --cluster-secret-file";
        fails(required, "transfer", follower());
        fails(required, "remove", "n3");
        String moved = members.get(1).replace("n2=127.0.0.1", "localhost");
        fails(required, "move", "n2", moved);
        String wrong = Files.writeString(folder.resolve("wrong"), "0123456789abcdef").toString();
        fails("is not that of the cluster", "remove", "n3", "--cluster-secret-file", wrong);
        assertThat(nodes)
                .anySatisfy(
                        node ->
                                assertThat(node.err())
                                        .anyMatch(
                                                line ->
                                                        line.contains(
                                                                        "call of an administrator"
                                                                                + " refused")
                                                                && line.contains(
                                                                        "address=127.0.0.1")));

        ServerProcess n4 =
                start("n4", String.join(",", members), "--join", "--cluster-secret-file", secret);
        succeeds("add", members.get(3));
        n4.port();
        succeeds("transfer", "n4");
        succeeds("move", "n2", moved);
        succeeds("remove", "n1", "--cluster-secret-file", secret);
        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.err()).noneMatch(ClusterSecretIT::leaks));
        assertThat(n4.err()).noneMatch(ClusterSecretIT::leaks);
    }

    private String follower() {
        return run(Map.of(), "status")
                .text()
                .lines()
                .filter(line -> line.contains("follower"))
                .map(line -> line.substring(0, 2))
                .findFirst()
                .orElseThrow();
    }

    private static boolean leaks(String line) {
        return line.contains(SECRET);
    }

    @Test
    void are_refused_by_nodes_that_have_neither_a_secret_nor_tls() throws Exception {
        cluster = members.getFirst();
        start("n1", cluster).port();
        assertThat(run(Map.of(), "status").status()).isZero();
        fails(
                "start the nodes with --cluster-secret-file",
                "backup",
                folder.resolve("copy").toString(),
                "--data-dir",
                folder.resolve("n1").toString(),
                "--node",
                "n1",
                "--cluster-secret-file",
                secret);
    }
}
