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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

@DisplayName("A node that is not the one that the cluster knows")
class ClusterIdentityIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Pattern REFUSED =
            Pattern.compile("holdfast_cluster_refused_connections_total ([0-9.]+)");

    @TempDir private Path folder;

    private final Map<String, String> members = new HashMap<>();
    private final List<ServerProcess> all = new ArrayList<>();
    private String cluster = "";

    @BeforeEach
    void choosePorts() {
        for (String node : List.of("n1", "n2", "n3")) {
            members.put(node, node + "=127.0.0.1:" + FreePorts.next());
        }
        cluster = String.join(",", members.get("n1"), members.get("n2"), members.get("n3"));
    }

    @AfterEach
    void stop() {
        all.forEach(ServerProcess::close);
    }

    private ServerProcess start(String node) throws IOException {
        return start(node, cluster, node);
    }

    private ServerProcess start(String node, String list, String data) throws IOException {
        ServerProcess started =
                ServerProcess.start(
                        "serve",
                        "--listen",
                        "dflockd://127.0.0.1:0",
                        "--listen",
                        "http://127.0.0.1:0",
                        "--cluster",
                        list,
                        "--node",
                        node,
                        "--data-dir",
                        folder.resolve(data).toString(),
                        "--cluster-secret-file",
                        secret());
        all.add(started);
        return started;
    }

    private String secret() throws IOException {
        Path file = folder.resolve("secret");
        return Files.exists(file)
                ? file.toString()
                : Files.writeString(file, "0123456789abcdef0123456789abcdef\n").toString();
    }

    private static void kill(ServerProcess server) throws IOException, InterruptedException {
        server.signal("KILL");
        server.status();
    }

    private void empty(String node) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(node))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void awaitValue(ServerProcess server, String value) throws IOException {
        try (var client = new LineClient(server.port())) {
            await().atMost(LONG)
                    .untilAsserted(
                            () ->
                                    assertThat(client.request("kget", "colour", ""))
                                            .isEqualTo("ok " + value));
        }
    }

    private static String cli(String... args) throws IOException, InterruptedException {
        try (ServerProcess command = ServerProcess.start(args)) {
            assertThat(command.status()).as("%s", command.err()).isZero();
            return String.join("\n", command.out());
        }
    }

    @Test
    void a_wiped_node_helps_to_elect_nobody_and_returns_under_its_old_name_when_replaced()
            throws Exception {
        ServerProcess n1 = start("n1");
        ServerProcess n2 = start("n2");
        ServerProcess n3 = start("n3");
        n3.port();
        kill(n3);
        n2.port();
        try (var client = new LineClient(n1.port())) {
            await().atMost(LONG)
                    .untilAsserted(
                            () ->
                                    assertThat(client.request("kset", "colour", "green"))
                                            .isEqualTo("ok"));
        }
        kill(n1);
        kill(n2);
        empty("n2");

        ServerProcess old = start("n3");
        ServerProcess wiped = start("n2");
        String replace =
                "holdfast cluster replace n2 " + members.get("n2") + " --cluster " + cluster;
        assertThat(wiped.awaitLog(line -> line.contains("cluster replace"))).contains(replace);
        ServerProcess newest = start("n1");
        awaitValue(newest, "green");
        awaitValue(old, "green");
        assertThat(wiped.isAlive()).isTrue();
        assertThat(wiped.err()).noneMatch(line -> line.contains("msg=listening"));

        assertThat(
                        cli(
                                "cluster",
                                "replace",
                                "n2",
                                members.get("n2"),
                                "--cluster",
                                cluster,
                                "--cluster-secret-file",
                                secret()))
                .contains("was added to the cluster in place of n2");
        awaitValue(wiped, "green");
        assertThat(cli("cluster", "status", "--cluster", cluster).lines())
                .hasSize(4)
                .noneMatch(line -> line.contains("@"));

        kill(old); // the node that was replaced counts now
        try (var client = new LineClient(wiped.port())) {
            await().atMost(LONG)
                    .untilAsserted(
                            () ->
                                    assertThat(client.request("kset", "colour", "blue"))
                                            .isEqualTo("ok"));
        }
        kill(wiped);
        awaitValue(start("n2"), "blue");
    }

    /** Returns how many connections a node has refused. */
    private static double refused(ServerProcess server) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.portOf("http") + "/metrics");
        try (HttpClient http = HttpClient.newHttpClient()) {
            String body =
                    http.send(
                                    HttpRequest.newBuilder(uri).build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body();
            Matcher found = REFUSED.matcher(body);
            assertThat(found.find()).as(body).isTrue();
            return Double.parseDouble(found.group(1));
        }
    }

    @Test
    void a_node_of_another_cluster_at_a_reused_address_is_refused_by_both_sides() throws Exception {
        ServerProcess n1 = start("n1");
        ServerProcess n2 = start("n2");
        ServerProcess n3 = start("n3");
        n3.port();
        n1.port();
        n2.port();
        kill(n3);

        ServerProcess stranger = start("n3", members.get("n3"), "stranger");
        awaitValueOf(stranger);
        await().atMost(LONG)
                .untilAsserted(
                        () -> {
                            assertThat(refused(n1) + refused(n2)).isPositive();
                            assertThat(refused(stranger)).isPositive();
                        });
        String line = "another cluster";
        assertThat(stranger.awaitLog(text -> text.contains(line))).contains("level=WARN");
        String leads = leader(n1);
        ServerProcess leader = leads.equals("n1") ? n1 : n2;
        assertThat(leader.awaitLog(text -> text.contains(line))).contains("n3", "level=WARN");
        assertThat(leader.err()).filteredOn(text -> text.contains(line)).hasSize(1);

        kill(leads.equals("n1") ? n2 : n1); // the stranger counts for nothing
        try (var client = new LineClient(leader.port())) {
            assertThat(client.request("kset", "colour", "red")).isNotEqualTo("ok");
        }
    }

    private static void awaitValueOf(ServerProcess server) throws IOException {
        try (var client = new LineClient(server.port())) {
            await().atMost(LONG)
                    .untilAsserted(
                            () ->
                                    assertThat(client.request("kset", "colour", "strange"))
                                            .isEqualTo("ok"));
        }
    }

    /** Returns the last leader that a node has logged. */
    private static String leader(ServerProcess server) {
        String last =
                server.err().stream()
                        .filter(line -> line.contains("the cluster has a leader"))
                        .toList()
                        .getLast();
        return last.substring(last.indexOf("leader=") + "leader=".length()).strip();
    }
}
