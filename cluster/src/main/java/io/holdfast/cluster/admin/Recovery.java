package io.holdfast.cluster.admin;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.DataDirectory;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.raft.LogRecovery;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Makes a new cluster of the data directory of one node, after the loss of a majority. What the
 * lost nodes had acknowledged without this one is lost. The directory stays locked until this
 * object is closed.
 */
public final class Recovery implements AutoCloseable {
    private final DataDirectory data;
    private final LogRecovery log;
    private final Duration quarantine;

    private Recovery(DataDirectory data, LogRecovery log, Duration maxSessionGrace) {
        this.data = data;
        this.log = log;
        Duration sessions = log.sessionTimeout();
        this.quarantine = sessions.plus(maxSessionGrace);
    }

    /**
     * Reads the state of a node.
     *
     * @param maxSessionGrace for how long a client without connection may believe that it holds a
     *     lock, after its session timeout
     * @throws ClusterException if the node is running, or its data directory is damaged or not a
     *     used one
     */
    public static Recovery open(
            Path dataDirectory,
            String cluster,
            String node,
            List<NodeAddress> members,
            Duration maxSessionGrace)
            throws ClusterException {
        DataDirectory data = DataDirectory.openUsed(dataDirectory, cluster, node, members);
        try {
            LogRecovery log = LogRecovery.read(data.raftDirectory(), data.clusterId());
            return new Recovery(data, log, maxSessionGrace);
        } catch (ClusterException | RuntimeException e) {
            data.close();
            throw e;
        }
    }

    /**
     * Returns how the state of this node differed from that of others, when it was stopped for
     * that; null if it was not.
     */
    public @Nullable String divergence() throws ClusterException {
        return data.divergence();
    }

    /** Returns the term of the last entry of the node's log. */
    public long term() {
        return log.term();
    }

    /** Returns the index of the last entry of the node's log. */
    public long index() {
        return log.index();
    }

    /** Returns the last fence that is known to be granted. */
    public long lastFence() {
        return log.lastFence();
    }

    /** Returns for how long the new cluster grants nothing but shared locks. */
    public Duration quarantine() {
        return quarantine;
    }

    /**
     * Turns the directory into a restored one. Call it once.
     *
     * @return where the previous files are
     */
    public Path run() throws IOException {
        log.write(data.beginRecovery(), quarantine);
        return data.commitRecovery("recovered-" + log.term() + "-" + log.index());
    }

    @Override
    public void close() {
        data.close();
    }
}
