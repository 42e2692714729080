package io.holdfast.cluster.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.cluster.bootstrap.NodeClient;
import io.holdfast.cluster.bootstrap.TestCluster;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

@DisplayName("The recovery of a cluster that has lost a majority")
@Timeout(180)
class RecoveryIT {
    @TempDir private Path folder;

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

    private static Effect acquire(NodeClient client, String key, Duration wait) {
        return client.acquire(key, wait, Duration.ofHours(1));
    }

    private static long fence(Effect granted) {
        return ((Effect.Granted) granted).token().fence();
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private static Recovery open(TestCluster cluster, String node) throws IOException {
        return Recovery.open(cluster.data(node), "test", node, cluster.members(), Duration.ZERO);
    }

    @Test
    void the_others_join_it_empty_with_data_fences_and_a_quarantine() throws Exception {
        Path survivor = folder.resolve("copy");
        try (TestCluster cluster = new TestCluster(folder, "n1", "n2", "n3")) {
            cluster.start("n1", "n2", "n3");
            NodeClient client = new NodeClient(cluster.node("n3"));
            assertThat(count(client, 7)).isEqualTo(7);
            long fence = fence(acquire(client, "printer", Duration.ZERO));
            assertThatThrownBy(() -> open(cluster, "n3")).hasMessageContaining("in use");
            copy(cluster.data("n3"), survivor); // as after kill -9: a log, and no snapshot
            for (String node : List.of("n1", "n2", "n3")) {
                cluster.stop(node);
                delete(cluster.data(node));
            }
            copy(survivor, cluster.data("n3"));

            try (Recovery recovery = open(cluster, "n3")) {
                assertThat(recovery.lastFence()).isEqualTo(fence);
                assertThat(recovery.term()).isPositive();
                assertThat(recovery.index()).isGreaterThan(4);
                assertThat(recovery.quarantine()).isEqualTo(Duration.ofSeconds(10));
                assertThat(recovery.run()).isDirectory();
            }
            assertThatThrownBy(() -> open(cluster, "n3"))
                    .hasMessageContaining("was recovered already");

            cluster.start("n1", "n2", "n3");
            NodeClient second = new NodeClient(cluster.node("n1"));
            assertThat(count(second, 1)).isEqualTo(8);
            assertThat(acquire(second, "other", Duration.ZERO))
                    .isNotInstanceOf(Effect.Granted.class);
            assertThat(acquire(second, "printer", Duration.ZERO))
                    .isNotInstanceOf(Effect.Granted.class);
            assertThat(cluster.node("n1").driver().quarantineLeftNanos()).isPositive();
            assertThat(fence(acquire(second, "other", Duration.ofMinutes(1)))).isGreaterThan(fence);
            assertThat(cluster.node("n1").driver().quarantineLeftNanos()).isZero();
        }
    }

    @Test
    void a_directory_without_a_complete_log_is_refused_with_the_reason() throws Exception {
        try (TestCluster cluster = new TestCluster(folder, "n1")) {
            assertThatThrownBy(() -> open(cluster, "n1"))
                    .hasMessageContaining("is not the data directory of a node");
            assertThat(cluster.data("n1")).doesNotExist();
            cluster.start("n1");
            assertThat(count(new NodeClient(cluster.node("n1")), 1)).isEqualTo(1);
            cluster.stop("n1");
            Path snapshot;
            try (Stream<Path> files = Files.walk(cluster.data("n1"))) {
                snapshot =
                        files.filter(file -> file.toString().matches(".*snapshot\\.[0-9_]+"))
                                .findFirst()
                                .orElseThrow();
            }
            byte[] bytes = Files.readAllBytes(snapshot);
            bytes[bytes.length / 2] ^= 1;
            Files.write(snapshot, bytes);
            assertThatThrownBy(() -> open(cluster, "n1")).hasMessageContaining("checksum is wrong");
        }
    }
}
