package io.holdfast.cluster.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.bootstrap.NodeClient;
import io.holdfast.cluster.bootstrap.TestCluster;
import io.holdfast.cluster.raft.TestAuthority;
import io.holdfast.cluster.rpc.TestService;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

@DisplayName("Administering a cluster")
class ClusterAdminIT {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir Path directory;

    private static Effect hold(NodeClient nodeClient, String key) {
        return nodeClient.acquire(key, Duration.ZERO, Duration.ofHours(1));
    }

    private static long count(NodeClient nodeClient, long delta) {
        Effect result =
                nodeClient.send(
                        request ->
                                new Command.Data(
                                        nodeClient.session().id(),
                                        request,
                                        Key.of("visits"),
                                        new DataOperation.Increment(delta)));
        assertThat(result).isInstanceOf(Effect.Counted.class);
        return ((Effect.Counted) result).value();
    }

    @Test
    void status_leadership_transfer_and_membership_changes_work_over_tls() throws Exception {
        ClusterTls tls = TestAuthority.create(directory, "ours").sign("node");
        try (TestCluster testCluster = new TestCluster(directory, tls, "n1", "n2", "n3", "n4")) {
            List<NodeAddress> first = testCluster.members().subList(0, 3);
            testCluster.start(first, "n1", "n2", "n3");
            ClusterAdmin admin = new ClusterAdmin("test", first, tls, null);
            assertThat(admin.status())
                    .extracting(result -> result.node().name())
                    .containsExactly("n1", "n2", "n3");
            assertThat(admin.status()).allMatch(result -> result.report() != null);

            String next = testCluster.follower().config().node();
            admin.transfer(next);
            await().atMost(LONG)
                    .untilAsserted(
                            () ->
                                    assertThat(testCluster.node(next).status().role())
                                            .isEqualTo("leader"));

            NodeAddress n4 = testCluster.members().get(3);
            assertThatThrownBy(() -> admin.add(n4))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("start it first");
            var joining = testCluster.join("n4", testCluster.members());
            await().atMost(LONG).ignoreExceptions().untilAsserted(() -> admin.add(n4));
            assertThat(joining.get(60, TimeUnit.SECONDS).status().serving()).isTrue();
            assertThat(admin.status()).hasSize(4);

            NodeClient nodeClient = new NodeClient(testCluster.node("n4"));
            assertThat(hold(nodeClient, "printer")).isInstanceOf(Effect.Granted.class);

            String gone = next.equals("n1") ? "n2" : "n1";
            assertThatThrownBy(() -> admin.remove("n9")).hasMessageContaining("no node named n9");
            admin.remove(gone);
            await().atMost(LONG)
                    .untilAsserted(
                            () -> assertThat(testCluster.node(gone).unready()).contains("removed"));
            assertThatThrownBy(() -> admin.add(new NodeAddress(gone, "127.0.0.1", 9)))
                    .hasMessageContaining("does not respond");
        }
    }

    @Test
    void a_backup_of_one_cluster_can_be_restored_into_another() throws Exception {
        Path copy = directory.resolve("copy");
        long fence;
        try (TestCluster testCluster = new TestCluster(directory, "n1")) {
            testCluster.start("n1");
            NodeClient nodeClient = new NodeClient(testCluster.leader());
            assertThat(count(nodeClient, 7)).isEqualTo(7);
            fence = ((Effect.Granted) hold(nodeClient, "printer")).token().fence();
            ClusterAdmin admin =
                    new ClusterAdmin("test", testCluster.members(), null, TestService.SECRET);
            admin.snapshot("n1");
            Backup.copy(testCluster.data("n1"), copy);
            assertThat(Files.getPosixFilePermissions(copy))
                    .containsExactlyInAnyOrder(
                            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
            assertThatThrownBy(() -> Backup.copy(testCluster.data("n1"), copy))
                    .hasMessageContaining("exists already");
        }
        Path folder = directory.resolve("new");
        try (TestCluster testCluster = new TestCluster(folder, "n1", "n2", "n3", "n4")) {
            List<NodeAddress> first = testCluster.members().subList(0, 3);
            Backup.restore(copy, testCluster.data("n1"), "test", "n1", first);
            assertThatThrownBy(
                            () -> Backup.restore(copy, testCluster.data("n1"), "test", "n1", first))
                    .hasMessageContaining("is not empty");
            testCluster.start(first, "n1", "n2", "n3");
            NodeClient nodeClient = new NodeClient(testCluster.follower());
            assertThat(count(nodeClient, 1)).isEqualTo(8);
            var granted = (Effect.Granted) hold(nodeClient, "other");
            assertThat(granted.token().fence()).isGreaterThan(fence);

            // The log begins after the restored snapshot, which must be sent to a new node.
            var joining = testCluster.join("n4", testCluster.members());
            ClusterAdmin admin = new ClusterAdmin("test", first, null, TestService.SECRET);
            await().atMost(LONG)
                    .ignoreExceptions()
                    .untilAsserted(() -> admin.add(testCluster.members().get(3)));
            assertThat(count(new NodeClient(joining.get(60, TimeUnit.SECONDS)), 1)).isEqualTo(9);

            testCluster.stop("n1");
            await().atMost(LONG)
                    .untilAsserted(
                            () ->
                                    assertThatThrownBy(() -> admin.transfer("n1"))
                                            .hasMessageContaining("cannot be transferred to n1"));
            deleteSnapshots(testCluster.data("n1"));
            assertThatThrownBy(() -> testCluster.start(first, "n1"))
                    .hasMessageContaining("the newest snapshot ends with none");
        }
    }

    private static void deleteSnapshots(Path data) throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.toList()) {
                if (String.valueOf(file.getFileName()).startsWith("snapshot.")) {
                    Files.delete(file);
                }
            }
        }
    }

    @Test
    void a_damaged_backup_is_not_restored() throws IOException {
        Path copy = directory.resolve("copy");
        Files.write(copy, new byte[100]);
        Path data = directory.resolve("data");
        assertThatThrownBy(
                        () ->
                                Backup.restore(
                                        copy, data, "test", "n1", List.of(NodeAddress.alone("n1"))))
                .hasMessageContaining("is not a snapshot of Holdfast");
        assertThat(data).doesNotExist();
    }
}
