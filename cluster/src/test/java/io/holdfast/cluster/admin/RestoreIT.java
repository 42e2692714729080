package io.holdfast.cluster.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.DataDirectory;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.bootstrap.ClusterNode;
import io.holdfast.cluster.bootstrap.NodeClient;
import io.holdfast.cluster.bootstrap.TestCluster;
import io.holdfast.cluster.rpc.TestService;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

@DisplayName("A cluster with a backup restored on one node")
@Timeout(180)
class RestoreIT {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir private static Path shared;

    private static long fence;

    @TempDir private Path folder;

    private static Path backup() {
        return shared.resolve("copy");
    }

    @BeforeAll
    static void backUp() throws Exception {
        try (TestCluster origin = new TestCluster(shared, "n1")) {
            origin.start("n1");
            NodeClient client = new NodeClient(origin.leader());
            assertThat(count(client, 7)).isEqualTo(7);
            fence = fence(client, "printer");
            new ClusterAdmin("test", origin.members(), null, TestService.SECRET).snapshot("n1");
            Backup.copy(origin.data("n1"), backup());
        }
    }

    private static long count(NodeClient client, long delta) {
        return ((Effect.Counted)
                        client.send(
                                request ->
                                        new Command.Data(
                                                client.session().id(),
                                                request,
                                                Key.of("visits"),
                                                new DataOperation.Increment(delta))))
                .value();
    }

    private static long fence(NodeClient client, String key) {
        Effect granted = client.acquire(key, Duration.ZERO, Duration.ofHours(1));
        return ((Effect.Granted) granted).token().fence();
    }

    @Test
    void the_backup_of_a_follower_is_fetched_over_the_network() throws Exception {
        try (TestCluster cluster = new TestCluster(folder, "n1", "n2", "n3")) {
            cluster.start("n1", "n2", "n3");
            NodeClient client = new NodeClient(cluster.follower());
            for (int i = 0; i < 20; i++) { // more than one chunk
                set(client, "big" + i, "x".repeat(30_000));
            }
            assertThat(count(client, 5)).isEqualTo(5);
            ClusterAdmin admin =
                    new ClusterAdmin("test", cluster.members(), null, TestService.SECRET);
            Path copy = folder.resolve("fetched");
            String follower = cluster.follower().config().node();
            assertThat(admin.backUp(follower, copy)).isEqualTo(follower);
            assertThat(Files.size(copy)).isGreaterThan(600_000);
            assertThat(Files.getPosixFilePermissions(copy))
                    .containsExactlyInAnyOrder(
                            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
            assertThatThrownBy(() -> admin.backUp(follower, copy))
                    .hasMessageContaining("exists already");
            assertThatThrownBy(() -> admin.backUp("n9", folder.resolve("none")))
                    .hasMessageContaining("no node is named n9");
            Path second = folder.resolve("second");
            assertThat(admin.backUp(null, second)).isNotEqualTo(cluster.leader().config().node());

            ClusterAdmin stranger = new ClusterAdmin("test", cluster.members(), null, null);
            assertThatThrownBy(() -> stranger.backUp(null, folder.resolve("third")))
                    .hasMessageContaining("secret");

            Path alone = folder.resolve("alone");
            Backup.restore(copy, alone, "test", "n1", List.of(NodeAddress.alone("n1")));
            assertThat(alone.resolve("raft/restored/sm/snapshot.1_0")).exists();
        }
    }

    private static void set(NodeClient client, String key, String value) {
        Effect result =
                client.send(
                        request ->
                                new Command.Data(
                                        client.session().id(),
                                        request,
                                        Key.of(key),
                                        new DataOperation.SetValue(
                                                ByteString.of(value), Command.FOREVER)));
        assertThat(result).isInstanceOf(Effect.Changed.class);
    }

    private static void restore(TestCluster cluster, String node) throws IOException {
        Backup.restore(backup(), cluster.data(node), "test", node, cluster.members());
    }

    private static NodeReport report(TestCluster cluster, String node) throws IOException {
        return new ClusterAdmin("test", cluster.members(), null, TestService.SECRET)
                .status().stream()
                        .filter(result -> result.node().name().equals(node))
                        .map(NodeReportResult::report)
                        .filter(report -> report != null)
                        .findFirst()
                        .orElseThrow(() -> new IOException(node + " does not respond"));
    }

    private static void awaitReason(TestCluster cluster, String node, String text) {
        await().atMost(LONG)
                .ignoreExceptions()
                .untilAsserted(
                        () ->
                                assertThat(report(cluster, node).waitReason())
                                        .isNotNull()
                                        .contains(text));
    }

    @ParameterizedTest
    @CsvSource({"n1,n2,n3, n1", "n2,n1,n3, n1", "n2,n3,n1, n1", "n1,n2,n3, n3"})
    void the_others_join_it_empty_in_whatever_order_they_start(
            String first, String second, String third, String restored) throws Exception {
        try (TestCluster cluster = new TestCluster(folder, "n1", "n2", "n3")) {
            restore(cluster, restored);
            List<CompletableFuture<ClusterNode>> starting = new ArrayList<>();
            for (String node : List.of(first, second, third)) {
                starting.add(cluster.begin(node, cluster.members()));
                await().atMost(LONG)
                        .ignoreExceptions()
                        .until(() -> !report(cluster, node).status().node().isEmpty());
            }
            for (CompletableFuture<ClusterNode> node : starting) {
                NodeClient client = new NodeClient(node.get(60, TimeUnit.SECONDS));
                assertThat(count(client, 0)).isEqualTo(7);
            }
            NodeClient client = new NodeClient(cluster.node("n2"));
            assertThat(count(client, 1)).isEqualTo(8);
            assertThat(fence(client, "other")).isGreaterThan(fence);
            assertThat(client.acquire("printer", Duration.ZERO, Duration.ofHours(1)))
                    .isNotInstanceOf(Effect.Granted.class);
            for (NodeAddress node : cluster.members()) {
                assertThat(report(cluster, node.name()).members().members())
                        .extracting(member -> member.address())
                        .containsExactlyInAnyOrderElementsOf(cluster.members());
            }
        }
    }

    @Test
    void it_serves_with_a_majority_and_a_later_node_waits_for_an_administrator() throws Exception {
        try (TestCluster cluster = new TestCluster(folder, "n1", "n2", "n3")) {
            restore(cluster, "n1");
            var n1 = cluster.begin("n1", cluster.members());
            awaitReason(cluster, "n1", "n2 does not respond");
            await().atMost(LONG)
                    .until(() -> report(cluster, "n1").status().role().equals("leader"));
            NodeReport alone = report(cluster, "n1");
            assertThat(alone.status().serving()).isFalse();
            assertThat(alone.members().members()).hasSize(1);
            assertThat(n1).isNotDone();

            var n2 = cluster.begin("n2", cluster.members());
            assertThat(count(new NodeClient(n2.get(60, TimeUnit.SECONDS)), 0)).isEqualTo(7);
            assertThat(count(new NodeClient(n1.get(60, TimeUnit.SECONDS)), 1)).isEqualTo(8);
            assertThat(report(cluster, "n1").restored()).isNull();

            var n3 = cluster.begin("n3", cluster.members());
            awaitReason(cluster, "n3", "holdfast cluster add n3=");
            new ClusterAdmin("test", cluster.members(), null, TestService.SECRET)
                    .add(cluster.members().get(2));
            assertThat(count(new NodeClient(n3.get(60, TimeUnit.SECONDS)), 0)).isEqualTo(8);
        }
        try (DataDirectory data = DataDirectory.open(folder.resolve("n1"), "test", "n1", any())) {
            assertThat(data.isRestored()).isFalse();
        }
    }

    private List<NodeAddress> any() throws IOException {
        String lines = Files.readString(folder.resolve("n1/holdfast.properties"));
        return lines.lines()
                .filter(line -> line.startsWith("members="))
                .map(line -> NodeAddress.parseList(line.substring(8).replace("\\", "")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void two_of_them_serve_nobody() throws Exception {
        try (TestCluster cluster = new TestCluster(folder, "n1", "n2", "n3")) {
            restore(cluster, "n1");
            restore(cluster, "n3");
            List<CompletableFuture<ClusterNode>> starting = new ArrayList<>();
            starting.add(cluster.begin("n1", cluster.members()));
            awaitReason(cluster, "n1", "n2 does not respond");
            starting.add(cluster.begin("n3", cluster.members()));
            starting.add(cluster.begin("n2", cluster.members()));
            awaitReason(cluster, "n1", "n3 has a restored backup, too");
            awaitReason(cluster, "n3", "n1 has a restored backup, too");
            awaitReason(cluster, "n2", "restored backup");
            assertThat(starting).noneMatch(CompletableFuture::isDone);
        }
    }

    @Test
    void one_that_finds_others_serving_in_another_cluster_does_not_ask_for_their_data()
            throws Exception {
        try (TestCluster cluster = new TestCluster(folder, "n1", "n2", "n3")) {
            restore(cluster, "n1");
            restore(cluster, "n3");
            try (DataDirectory data =
                    DataDirectory.open(cluster.data("n3"), "test", "n3", cluster.members())) {
                NodeAddress self = cluster.members().getLast();
                data.recordCluster(
                        UUID.randomUUID(),
                        List.of(new io.holdfast.cluster.Member(self, data.dataId())));
            }
            cluster.start("n1", "n2");
            var n3 = cluster.begin("n3", cluster.members());
            awaitReason(cluster, "n3", "n1 serves in another cluster");
            awaitReason(cluster, "n3", "empty the data directory of this node");
            assertThat(n3).isNotDone();
            assertThat(count(new NodeClient(cluster.node("n2")), 0)).isEqualTo(7);
        }
    }

    @Test
    void a_node_that_was_given_the_id_of_the_cluster_before_a_crash_is_added_after_it()
            throws Exception {
        try (TestCluster cluster = new TestCluster(folder, "n1", "n2", "n3")) {
            restore(cluster, "n1");
            UUID clusterId = UUID.randomUUID();
            try (DataDirectory data =
                    DataDirectory.open(cluster.data("n1"), "test", "n1", cluster.members())) {
                NodeAddress self = cluster.members().getFirst();
                data.recordCluster(
                        clusterId, List.of(new io.holdfast.cluster.Member(self, data.dataId())));
            }
            try (DataDirectory data =
                    DataDirectory.open(cluster.data("n3"), "test", "n3", cluster.members())) {
                data.recordCluster(clusterId, List.of());
            }
            cluster.start("n1", "n2", "n3");
            assertThat(count(new NodeClient(cluster.node("n3")), 0)).isEqualTo(7);
            @Nullable UUID id = report(cluster, "n2").clusterId();
            assertThat(id).isEqualTo(clusterId);
            MemberList members = report(cluster, "n2").members();
            assertThat(members.members()).hasSize(3);
        }
    }
}
