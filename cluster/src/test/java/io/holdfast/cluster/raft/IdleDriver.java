package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.DriverObserver;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.EngineSettings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** A driver of a single node that applies entries and proposes none. */
final class IdleDriver {
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
        return new ClusterConfig(
                "idle",
                List.of(NodeAddress.alone("n1")),
                "n1",
                Path.of("unused"),
                LONG,
                LONG,
                false,
                null);
    }

    static ReplicatedDriver of(RaftNode node) {
        return new ReplicatedDriver(
                "n1",
                new UUID(1, 1),
                new ReplicatedSettings(SETTINGS, KeyCountLimits.NONE, LONG.toNanos(), 0),
                new DriverConfig(
                        SETTINGS,
                        KeyCountLimits.NONE,
                        LONG,
                        0,
                        MemoryBudgets.UNLIMITED,
                        DriverObserver.NONE),
                LONG.toNanos(),
                node.log(),
                System::nanoTime,
                new Nothing());
    }
}
