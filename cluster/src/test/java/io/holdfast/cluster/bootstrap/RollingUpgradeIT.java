package io.holdfast.cluster.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.KnownVersions;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.SnapshotRequest;
import io.holdfast.cluster.admin.Backup;
import io.holdfast.cluster.admin.ClusterAdmin;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.cluster.rpc.TestService;
import io.holdfast.cluster.state.SnapshotFile;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** The newer build knows the trial version: see {@link ClusterVersion}. */
@DisplayName("A cluster that is upgraded one node at a time")
@Timeout(300)
class RollingUpgradeIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final List<String> NODES = List.of("n1", "n2", "n3");
    private static final int TRIAL = ClusterVersion.LATEST + 1;
    private static final KnownVersions OLDER = KnownVersions.CURRENT;
    private static final KnownVersions NEWER =
            new KnownVersions(OLDER.lowestFrame(), OLDER.highestFrame() + 1, TRIAL);

    @TempDir Path directory;

    private final Map<String, Load> loads = new HashMap<>();

    /** A client of one node, which increments a counter of its own until it is stopped. */
    private static final class Load {
        final AtomicLong sent = new AtomicLong();
        final AtomicLong acknowledged = new AtomicLong();
        private final NodeClient client;
        private final Key key;
        private final CompletableFuture<Void> end;
        private volatile boolean stopped;

        Load(ClusterNode node, String key) {
            this.client = new NodeClient(node);
            this.key = Key.of(key);
            this.end = CompletableFuture.runAsync(this::run, Thread::startVirtualThread);
        }

        private void run() {
            while (!stopped) {
                sent.incrementAndGet();
                if (count(client, key, 1) >= 0) {
                    acknowledged.incrementAndGet();
                }
            }
            client.session().close(Long.MAX_VALUE);
        }

        void awaitProgress() {
            long before = acknowledged.get();
            await().atMost(LONG).until(() -> acknowledged.get() > before + 20 || end.isDone());
        }

        void stop() {
            stopped = true;
            end.join();
        }
    }

    /** Increments a counter, and returns its value; -1 if the outcome is unknown. */
    private static long count(NodeClient client, Key key, long by) {
        Effect result =
                client.send(
                        request ->
                                new Command.Data(
                                        client.session().id(),
                                        request,
                                        key,
                                        new DataOperation.Increment(by)));
        return result instanceof Effect.Counted counted ? counted.value() : -1;
    }

    private void startLoad(TestCluster cluster, String name, String key) {
        loads.put(key, new Load(cluster.node(name), key));
    }

    private static List<Integer> versions(TestCluster cluster) {
        return NODES.stream().map(name -> cluster.node(name).status().version()).toList();
    }

    /** Lets a node write a snapshot of all that it has applied, and returns it. */
    private static Path snapshot(TestCluster cluster, String name) throws IOException {
        new SnapshotRequest(cluster.data(name)).submit(LONG);
        try (Stream<Path> files = Files.walk(cluster.data(name).resolve("raft"))) {
            return files.filter(
                            file ->
                                    String.valueOf(file.getFileName())
                                            .matches("snapshot\\.[0-9]+_[0-9]+"))
                    .max((one, other) -> Long.compare(index(one), index(other)))
                    .orElseThrow();
        }
    }

    private static long index(Path snapshot) {
        String name = String.valueOf(snapshot.getFileName());
        return Long.parseLong(name.substring(name.indexOf('_') + 1));
    }

    private static int versionOf(Path snapshot) throws IOException {
        return SnapshotFile.read(snapshot, TRIAL, (_, version) -> version);
    }

    private static void requireEqualSnapshots(TestCluster cluster) throws IOException {
        Path first = snapshot(cluster, "n1");
        for (String name : NODES) {
            Path other = snapshot(cluster, name);
            assertThat(other.getFileName()).isEqualTo(first.getFileName());
            assertThat(other).hasSameBinaryContentAs(first);
        }
        assertThat(versionOf(first)).isEqualTo(TRIAL);
    }

    @Test
    void writes_the_older_version_until_all_know_the_newer_one_and_loses_nothing()
            throws Exception {
        try (TestCluster cluster = new TestCluster(directory, "n1", "n2", "n3", "n4")) {
            List<NodeAddress> members = cluster.members().subList(0, 3);
            cluster.start(members, "n1", "n2", "n3");
            NODES.forEach(name -> startLoad(cluster, name, name + "-before"));
            for (String name : NODES) {
                loads.get(name + "-before").awaitProgress();
                loads.get(name + "-before").stop();
                cluster.stop(name);
                if (name.equals("n3")) {
                    assertThat(cluster.node("n1").status().version())
                            .isEqualTo(ClusterVersion.LATEST);
                }
                cluster.install(name, NEWER);
                cluster.start(members, name);
                startLoad(cluster, name, name + "-after");
                if (!name.equals("n3")) {
                    loads.get(name + "-after").awaitProgress();
                    assertThat(versions(cluster)).containsOnly(ClusterVersion.LATEST);
                    assertThat(versionOf(snapshot(cluster, name))).isEqualTo(ClusterVersion.LATEST);
                }
            }
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(versions(cluster)).containsOnly(TRIAL));
            for (String name : NODES) {
                loads.get(name + "-after").awaitProgress();
                loads.get(name + "-after").stop();
            }

            await().atMost(LONG).untilAsserted(() -> requireEqualSnapshots(cluster));
            NodeClient reader = new NodeClient(cluster.node("n2"));
            loads.forEach(
                    (key, load) ->
                            assertThat(count(reader, Key.of(key), 0))
                                    .as(key)
                                    .isBetween(load.acknowledged.get(), load.sent.get()));
            refuseOlderBuilds(cluster, members);
        }
    }

    private void refuseOlderBuilds(TestCluster cluster, List<NodeAddress> members)
            throws Exception {
        Path identity = cluster.data("n3").resolve("holdfast.properties");
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(identity).content().contains("cluster-version=2"));
        cluster.stop("n3");
        cluster.install("n3", OLDER);
        String versions = "has the version 2, and this Holdfast knows the versions 1 to 1";
        assertThatThrownBy(() -> cluster.start(members, "n3"))
                .hasMessageContainingAll("the cluster of the data directory", versions);
        // as if it had ended before it recorded the version
        Files.writeString(identity, Files.readString(identity).replace("cluster-version=2\n", ""));
        assertThatThrownBy(() -> cluster.start(members, "n3"))
                .hasMessageContainingAll("snapshot", versions);
        cluster.install("n3", NEWER);
        cluster.start(members, "n3");

        NodeAddress n4 = cluster.members().get(3);
        NodeReport older =
                new NodeReport(
                        new NodeStatus(
                                "n4",
                                NodeReport.WAITING,
                                0,
                                null,
                                -1,
                                -1,
                                false,
                                0,
                                0,
                                1,
                                List.of()),
                        null,
                        new UUID(4, 4),
                        MemberList.NONE,
                        new NodeReport.Waiting(List.of(), true, "", "to be added"),
                        null);
        try (NodeRpcServer _ =
                new NodeRpcServer(
                        "test",
                        new InetSocketAddress(n4.host(), n4.port()),
                        new RpcSocketFactory(null),
                        TestService.access(),
                        new TestService(
                                (_, _) -> CompletableFuture.completedFuture(older.toBytes())))) {
            ClusterAdmin admin = new ClusterAdmin("test", members, null, TestService.SECRET);
            assertThatThrownBy(() -> admin.add(n4))
                    .isInstanceOf(ClusterException.class)
                    .hasMessage(
                            "the cluster has the version 2, and %s knows the versions up to 1:"
                                            .formatted(n4)
                                    + " upgrade it");
        }
    }

    @Test
    void begins_with_the_version_of_the_backup_from_which_it_was_restored() throws Exception {
        Path copy = directory.resolve("copy");
        try (TestCluster older = new TestCluster(directory.resolve("older"), "n1")) {
            older.start("n1");
            assertThat(count(new NodeClient(older.node("n1")), Key.of("visits"), 7)).isEqualTo(7);
            new SnapshotRequest(older.data("n1")).submit(LONG);
            Backup.copy(older.data("n1"), copy);
        }
        assertThat(versionOf(copy)).isEqualTo(ClusterVersion.LATEST);
        try (TestCluster newer = new TestCluster(directory.resolve("newer"), "n1")) {
            Backup.restore(copy, newer.data("n1"), "test", "n1", newer.members());
            newer.install("n1", NEWER);
            newer.start("n1");
            assertThat(count(new NodeClient(newer.node("n1")), Key.of("visits"), 1)).isEqualTo(8);
            await().atMost(LONG).until(() -> newer.node("n1").status().version() == TRIAL);
            assertThat(count(new NodeClient(newer.node("n1")), Key.of("visits"), 1)).isEqualTo(9);
        }
    }
}
