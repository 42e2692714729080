package io.holdfast.cluster.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.bootstrap.ClusterNode;
import io.holdfast.cluster.bootstrap.NodeClient;
import io.holdfast.cluster.bootstrap.TestCluster;
import io.holdfast.cluster.rpc.TestService;
import io.holdfast.engine.Effect;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

@DisplayName("A node that is replaced")
@Timeout(300)
class ClusterReplaceIT {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir private Path directory;

    private TestCluster cluster;
    private List<NodeAddress> first;
    private ClusterAdmin admin;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster(directory, "n1", "n2", "n3", "n4");
        first = cluster.members().subList(0, 3);
        cluster.start(first, "n1", "n2", "n3");
        admin = new ClusterAdmin("test", first, null, TestService.SECRET);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    /** Waits until a node can be admitted, and replaces another one by it. */
    private void replace(String old, NodeAddress node) throws ClusterException {
        ClusterAdmin query = new ClusterAdmin("test", List.of(node), null, null);
        await().atMost(LONG)
                .until(
                        () -> {
                            NodeReport report = query.status().getFirst().report();
                            return report != null && report.waiting() != null;
                        });
        await().atMost(LONG).until(() -> !new ClusterStatus(admin.status()).leaders().isEmpty());
        admin.replace(old, node);
    }

    private static void requireServing(ClusterNode node) {
        Effect held =
                new NodeClient(node)
                        .acquire(node.config().node(), Duration.ZERO, Duration.ofHours(1));
        assertThat(held).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void may_have_a_successor_with_another_name_and_ends_although_it_is_up() throws Exception {
        NodeAddress n4 = cluster.members().get(3);
        var joining = cluster.join("n4", cluster.members());
        replace("n2", n4);
        requireServing(joining.get(60, TimeUnit.SECONDS));
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(cluster.node("n2").unready()).contains("removed"));
        await().atMost(LONG)
                .untilAsserted(
                        () ->
                                assertThat(cluster.node("n1").status().peers())
                                        .extracting(peer -> peer.node())
                                        .containsExactlyInAnyOrder("n3", "n4"));
    }

    @Test
    void is_refused_when_its_directory_comes_back_and_never_serves() throws Exception {
        Path old = directory.resolve("old");
        cluster.stop("n2");
        Files.move(cluster.data("n2"), old);
        CompletableFuture<ClusterNode> successor = cluster.begin("n2", first);
        replace("n2", first.get(1));
        requireServing(successor.get(60, TimeUnit.SECONDS));

        cluster.stop("n2");
        Files.move(cluster.data("n2"), directory.resolve("successor"));
        Files.move(old, cluster.data("n2"));
        long refused = refusals();
        CompletableFuture<ClusterNode> back = cluster.begin("n2", first);
        await().atMost(LONG).until(() -> refusals() > refused);
        await().atMost(LONG)
                .untilAsserted(
                        () -> {
                            ClusterStatus status = new ClusterStatus(admin.status());
                            assertThat(status.results())
                                    .filteredOn(status::isFormerMember)
                                    .extracting(result -> result.node().name())
                                    .containsExactly("n2");
                        });
        requireServing(cluster.node("n1"));
        assertThat(back).isNotDone();
    }

    private long refusals() {
        return cluster.node("n1").refusedConnections() + cluster.node("n3").refusedConnections();
    }
}
