package io.holdfast.cli.serve;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.bootstrap.ClusterNode;
import io.holdfast.driver.Driver;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.DriverSource;
import io.holdfast.driver.frontend.ClusterView;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;

/** Starts the cluster node that serves a server's listeners, and stops it after them. */
final class ClusterDriverSource implements DriverSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterDriverSource.class);

    private final ClusterConfig config;
    private volatile @Nullable ClusterNode node;
    private volatile @Nullable Duration closeLimit;

    ClusterDriverSource(ClusterConfig config) {
        this.config = config;
    }

    @Override
    public Driver open(DriverConfig driverConfig) throws IOException {
        ClusterNode started = ClusterNode.start(config, driverConfig, ClusterDriverSource::stop);
        node = started;
        NodeStatus status = started.status();
        LOG.atInfo()
                .addKeyValue("node", config.node())
                .addKeyValue("cluster", config.name())
                .addKeyValue("role", status.role())
                .addKeyValue("term", status.term())
                .log("serving from the replicated log in {}", config.dataDir());
        return started.driver();
    }

    /**
     * Halts the process at once: the state in memory may be wrong, and everything that was
     * acknowledged is on the disk.
     */
    private static void stop(ClusterException failure) {
        LOG.atError().log(String.valueOf(failure.getMessage()));
        Runtime.getRuntime().halt(1);
    }

    /** Returns the cluster's status as seen by this node; call after {@link #open}. */
    ClusterView view() {
        ClusterNode started = Objects.requireNonNull(node);
        NodeStatus status = started.status();
        return new ClusterView(
                config.name(),
                config.node(),
                config.isSingle(),
                status.role(),
                status.term(),
                status.leader(),
                status.commitIndex(),
                status.appliedIndex(),
                status.version(),
                status.knownVersion(),
                started.unready(),
                config.dataDir(),
                started.refusedConnections(),
                started.stateChecks(),
                started.isDiverged(),
                status.peers().stream()
                        .map(
                                peer ->
                                        new ClusterView.Member(
                                                peer.node(),
                                                peer.address(),
                                                peer.matchIndex(),
                                                peer.lastContactMillis()))
                        .toList());
    }

    /** Sets how long {@link #close} may wait for other nodes. */
    void limitClose(Duration limit) {
        closeLimit = limit;
    }

    /** Shuts the node down gracefully. */
    @Override
    public void close() {
        ClusterNode started = node;
        Duration limit = closeLimit;
        if (started == null) {
            return;
        }
        if (limit == null) {
            started.close();
        } else {
            started.close(limit);
        }
    }
}
