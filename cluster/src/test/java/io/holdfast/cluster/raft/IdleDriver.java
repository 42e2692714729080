package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RefusedConnections;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.cluster.rpc.TestService;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.DriverObserver;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.EngineSettings;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** A driver of a single node that applies entries and proposes none. */
final class IdleDriver {
    static final UUID CLUSTER = new UUID(3, 3);

    private static final UUID DATA = new UUID(1, 1);
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final EngineSettings SETTINGS = new EngineSettings(0, LONG.toNanos(), true);

    private IdleDriver() {}

    private static final class Nothing implements ReplicatedDriver.Environment {
        @Override
        public void flushSoon() {}

        @Override
        public void tickSoon() {}

        @Override
        public UUID randomUuid() {
            return new UUID(1, 2);
        }

        @Override
        public long wallClockNanos() {
            return 0;
        }

        @Override
        public void runLater(Runnable task) {}
    }

    static ClusterConfig config() {
        return ClusterConfig.builder(List.of(NodeAddress.alone("n1")), "n1", Path.of("unused"))
                .name("idle")
                .requestTimeout(LONG)
                .sessionTimeout(LONG)
                .build();
    }

    /** Returns a node with the given limits of its log. */
    static RaftNode node(LogSizeLimits limits) throws IOException {
        ClusterConfig config = config();
        Member self = new Member(config.self(), DATA);
        RpcSocketFactory sockets = new RpcSocketFactory(null);
        NodeRpcServer listening =
                new NodeRpcServer(
                        "test",
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        sockets,
                        TestService.access(),
                        new TestService((_, _) -> null));
        return new RaftNode(
                config,
                new NodeIdentity(config.name(), CLUSTER, self, List.of(self)),
                listening,
                sockets,
                new RefusedConnections(),
                limits,
                () -> EntryTime.of(System.nanoTime()),
                () -> ClusterVersion.FIRST);
    }

    static ReplicatedDriver of(RaftNode node) {
        return new ReplicatedDriver(
                new Member(NodeAddress.alone("n1"), DATA),
                ClusterVersion.LATEST,
                new ReplicatedSettings(SETTINGS, KeyCountLimits.NONE, LONG.toNanos(), 0),
                new DriverConfig(
                        SETTINGS,
                        KeyCountLimits.NONE,
                        LONG,
                        0,
                        MemoryBudgets.UNLIMITED,
                        DriverObserver.NONE),
                LONG.toNanos(),
                0,
                node.log(),
                System::nanoTime,
                new Nothing());
    }
}
