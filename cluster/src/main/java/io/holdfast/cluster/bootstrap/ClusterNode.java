package io.holdfast.cluster.bootstrap;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.DataDirectory;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.SnapshotRequest;
import io.holdfast.cluster.check.Divergence;
import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.entry.ReplicatedSettings;
import io.holdfast.cluster.formation.Formation;
import io.holdfast.cluster.formation.NodeCalls;
import io.holdfast.cluster.raft.LeaderClock;
import io.holdfast.cluster.raft.RaftNode;
import io.holdfast.cluster.raft.RaftTls;
import io.holdfast.cluster.rpc.AdminAccess;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RefusedConnections;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.driver.Driver;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A running node of a cluster. */
public final class ClusterNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);
    private static final long CHECK_INTERVAL_NANOS = 10_000_000L;
    private static final long LOG_AFTER_NANOS = 3_000_000_000L;

    /** The next log message follows after this multiple of the time. */
    private static final int LOG_AGAIN_FACTOR = 10;

    /** The maximum time for the last commands of clients to be applied. */
    private static final Duration APPLY_TIMEOUT = Duration.ofSeconds(2);

    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration TRANSFER_TIMEOUT = Duration.ofSeconds(2);

    /** The minimum time limit of a close; with a majority, a close takes a few milliseconds. */
    private static final Duration MIN_CLOSE = Duration.ofMillis(500);

    private static final Duration MAX_CLOSE = Duration.ofSeconds(5);
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final ClusterConfig config;
    private final DataDirectory data;
    private final NodeIdentity identity;
    private final NodeRpcServer nodeRpcServer;
    private final RefusedConnections refused;
    private final LeaderClock leaderClock;
    private final RaftNode raft;
    private final ReplicatedDriver driver;
    private final RepeatingThread flushWorker;
    private final RepeatingThread clockWorker;
    private final RepeatingThread tickWorker;
    private final RepeatingThread watchWorker;
    private final RepeatingThread checkWorker;
    private final RepeatingThread syncWorker;

    /** Null unless a restored backup is on this node alone. */
    private volatile @Nullable EmptyNodeAdmission emptyNodeAdmission;

    private final NodeReadiness nodeReadiness = new NodeReadiness(System.nanoTime());
    private final SnapshotRequest snapshotRequest;
    private MemberList recordedMembers = MemberList.NONE;
    private final AtomicBoolean isWritingSnapshot = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Null unless the state of this node differs from that of others. */
    private volatile @Nullable Divergence divergence;

    private ClusterNode(
            ClusterConfig config,
            DriverConfig driverConfig,
            DataDirectory data,
            NodeRpcServer nodeRpcServer,
            RefusedConnections refused,
            RpcSocketFactory rpcSocketFactory) {
        this.config = config;
        this.data = data;
        this.identity = data.identity(config.self());
        this.nodeRpcServer = nodeRpcServer;
        this.refused = refused;
        this.snapshotRequest = new SnapshotRequest(config.dataDir());
        this.leaderClock = new LeaderClock(System::nanoTime, driverConfig.socketReadBarrier());
        this.raft =
                new RaftNode(
                        config,
                        identity,
                        nodeRpcServer,
                        rpcSocketFactory,
                        refused,
                        leaderClock,
                        this::version);
        this.driver =
                new ReplicatedDriver(
                        identity.self(),
                        config.versions().cluster(),
                        new ReplicatedSettings(
                                driverConfig.settings(),
                                driverConfig.keyCountLimits(),
                                config.sessionTimeout().toNanos(),
                                driverConfig.maxSubscriptions()),
                        driverConfig,
                        config.requestTimeout().toNanos(),
                        config.checkInterval().toNanos(),
                        raft.log(),
                        System::nanoTime,
                        new NodeEnvironment());
        this.emptyNodeAdmission =
                data.isRestored() && !config.isSingle()
                        ? new EmptyNodeAdmission(config, identity, raft)
                        : null;
        this.flushWorker = new RepeatingThread("holdfast-cluster-send", this::flush);
        this.clockWorker = new RepeatingThread("holdfast-cluster-clock", this::beat);
        this.tickWorker = new RepeatingThread("holdfast-cluster-time", this::tick);
        this.watchWorker = new RepeatingThread("holdfast-cluster-watch", this::watch);
        this.checkWorker = new RepeatingThread("holdfast-cluster-check", this::check);
        this.syncWorker = new RepeatingThread("holdfast-cluster-sync", this::sync);
    }

    /**
     * Starts a node. It serves clients when this returns. A node with an empty data directory waits
     * until it has a cluster: see {@link Formation}.
     *
     * @param fatal called on any thread when the node cannot continue
     */
    public static ClusterNode start(
            ClusterConfig config, DriverConfig driverConfig, Consumer<ClusterException> fatal)
            throws ClusterException {
        RpcSocketFactory rpcSocketFactory = RaftTls.sockets(config.tls());
        DataDirectory data = DataDirectory.open(config);
        RefusedConnections refused = new RefusedConnections();
        NodeRpcServer nodeRpcServer = null;
        ClusterNode node;
        try {
            Formation formation = new Formation(config, data, refused);
            nodeRpcServer = listen(config, rpcSocketFactory, refused, formation);
            if (!data.hasCluster()) {
                formation.await(rpcSocketFactory);
            }
            node =
                    new ClusterNode(
                            config, driverConfig, data, nodeRpcServer, refused, rpcSocketFactory);
        } catch (ClusterException | RuntimeException e) {
            close(nodeRpcServer);
            data.close();
            throw e;
        }
        try {
            node.clockWorker.start();
            node.raft.start(
                    data.raftDirectory(),
                    data.isUsed(),
                    data.isRestored(),
                    node.driver,
                    () -> node.report().toBytes(),
                    failure -> node.fail(failure, fatal),
                    node::diverged);
            node.watchWorker.start();
            node.checkWorker.start();
            node.syncWorker.start();
            node.awaitOthers(rpcSocketFactory);
            node.flushWorker.start();
            node.tickWorker.start();
            node.awaitServing();
            data.markUsed();
            node.logQuarantine();
            node.updateReadiness();
            return node;
        } catch (ClusterException | RuntimeException e) {
            boolean interrupted = Thread.interrupted(); // else the end of Raft is not waited for
            node.stop();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            throw e;
        }
    }

    private static NodeRpcServer listen(
            ClusterConfig config,
            RpcSocketFactory rpcSocketFactory,
            RefusedConnections refused,
            NodeRpcServer.Service service)
            throws ClusterException {
        NodeAddress at = config.listenAddress();
        try {
            return new NodeRpcServer(
                    "holdfast-cluster-in",
                    new InetSocketAddress(at.host(), at.port()),
                    rpcSocketFactory,
                    new AdminAccess(config.name(), config.secret(), NodeCalls.STATUS, refused),
                    service);
        } catch (IOException e) {
            throw new ClusterException(
                    "cannot listen for other nodes on "
                            + at.address()
                            + ": "
                            + FailureText.ofListening(e, at.port())
                            + "; end what listens there, or change the address in "
                            + (config.bind() == null ? "--cluster" : "--cluster-bind"),
                    e);
        }
    }

    private static void close(@Nullable NodeRpcServer nodeRpcServer) {
        try {
            if (nodeRpcServer != null) {
                nodeRpcServer.close();
            }
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("could not close the connections of other nodes");
        }
    }

    private void fail(Throwable failure, Consumer<ClusterException> fatal) {
        if (!closed.get() && divergence == null) {
            fatal.accept(
                    failure instanceof ClusterException known
                            ? known
                            : new ClusterException(
                                    "the node cannot continue with its data in "
                                            + config.dataDir()
                                            + ": "
                                            + RaftNode.reason(failure),
                                    failure));
        }
    }

    /**
     * Waits until a restored backup is no longer on this node alone. Nothing is proposed meanwhile,
     * so no time passes in the state.
     */
    private void awaitOthers(RpcSocketFactory rpcSocketFactory) throws ClusterException {
        EmptyNodeAdmission admission = emptyNodeAdmission;
        if (admission != null) {
            admission.await(rpcSocketFactory);
            emptyNodeAdmission = null;
        }
    }

    private void awaitServing() throws ClusterException {
        long startNanos = System.nanoTime();
        long logAfterNanos = LOG_AFTER_NANOS;
        while (!driver.isServing()) {
            Divergence found = divergence;
            if (found != null) {
                throw new ClusterException(text(found));
            }
            if (raft.isOver()) {
                throw new ClusterException("the node ended while it was starting");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new ClusterException("interrupted while waiting for a majority");
            }
            if (System.nanoTime() - startNanos > logAfterNanos) {
                LOG.info(
                        logAfterNanos == LOG_AFTER_NANOS
                                ? "waiting for a majority of the cluster"
                                : "still waiting for a majority of the cluster: the others may be"
                                        + " down, or this node may have been removed from it");
                logAfterNanos *= LOG_AGAIN_FACTOR;
            }
            LockSupport.parkNanos(CHECK_INTERVAL_NANOS);
        }
    }

    private void logQuarantine() {
        long left = driver.quarantineLeftNanos();
        if (left > 0) {
            LOG.atWarn()
                    .log(
                            "restart quarantine for {} s: the cluster was recovered, and clients of"
                                    + " lost nodes may still hold locks; acquires wait",
                            Duration.ofNanos(left).toSeconds());
        }
    }

    public Driver driver() {
        return driver;
    }

    /** For the tests, which change the state of one node alone. */
    ReplicatedDriver replicated() {
        return driver;
    }

    public ClusterConfig config() {
        return config;
    }

    /** Returns the state of the cluster as this node sees it. */
    public NodeStatus status() {
        NodeStatus status = raft.status(unready() == null, driver.openSessions());
        return divergence == null ? status : status.withRole(NodeReport.DIVERGED);
    }

    /**
     * Returns the version of the cluster. After a start it is the recorded one until the log has
     * been applied.
     */
    private int version() {
        return Math.max(data.version(), driver.version());
    }

    /** Returns why clients should use another node; null if this node is ready. */
    public @Nullable String unready() {
        Divergence found = divergence;
        return found == null ? nodeReadiness.reason() : found.reason();
    }

    /** Whether the state of this node differs from that of others, so that it has stopped. */
    public boolean isDiverged() {
        return divergence != null;
    }

    /** Returns the number of entries after which this node has hashed its state. */
    public long stateChecks() {
        return raft.checks();
    }

    /** Ends everything but the responses to status queries, so that it can be seen why. */
    private void diverged(Divergence found) {
        divergence = found;
        LOG.atError()
                .addKeyValue("index", found.index())
                .log(
                        "{}; this node stops serving: {}",
                        found.reason(),
                        found.remedy(config.node()));
        Thread.startVirtualThread(
                () -> {
                    driver.stopServing();
                    recordDivergence(found);
                    raft.halt(
                            found.reason(),
                            found.majorityHash() == null ? Duration.ZERO : TRANSFER_TIMEOUT);
                });
    }

    private void recordDivergence(Divergence found) {
        try {
            data.recordDivergence(text(found));
        } catch (ClusterException e) {
            LOG.atError()
                    .addKeyValue("reason", FailureText.of(e))
                    .log(
                            "could not record that the state of this node differs; do not start it"
                                    + " again");
        }
    }

    private String text(Divergence found) {
        return found.reason() + "; " + found.remedy(config.node());
    }

    private NodeReport report() {
        EmptyNodeAdmission admission = emptyNodeAdmission;
        return new NodeReport(
                status(),
                identity.clusterId(),
                identity.self().dataId(),
                raft.members(),
                null,
                admission == null ? null : admission.report());
    }

    /** Returns how many connections between this node and others were refused, by either side. */
    public long refusedConnections() {
        return refused.count();
    }

    private long flush() {
        driver.flush();
        return NANOS_PER_MILLI * 20;
    }

    /** Apart from the other threads, which may wait for locks and disks. */
    private long beat() {
        leaderClock.beat();
        return LeaderClock.BEAT_NANOS;
    }

    private long tick() {
        return driver.tick();
    }

    /** Has a thread of its own, since the other threads may be waiting for the disk. */
    private long watch() {
        driver.watch();
        return NANOS_PER_MILLI * 100;
    }

    private long check() {
        raft.check();
        updateReadiness();
        recordMembers();
        return NANOS_PER_MILLI * 100;
    }

    /** Writes a new member list once: what fails here is tried again with the next list. */
    private void recordMembers() {
        MemberList members = raft.members();
        if (members.equals(recordedMembers) || members.members().isEmpty()) {
            return;
        }
        recordedMembers = members;
        try {
            data.recordMembers(members.members().stream().map(Member::address).toList());
        } catch (ClusterException e) {
            LOG.atWarn()
                    .addKeyValue("reason", FailureText.of(e))
                    .log("could not record the members of the cluster in the data directory");
        }
    }

    /** Has a thread of its own, since the disk may be busy. */
    private long sync() {
        if (divergence != null) {
            return NANOS_PER_MILLI * 100;
        }
        raft.sync();
        recordVersion();
        if (snapshotRequest.isPending() && !isWritingSnapshot.getAndSet(true)) {
            raft.writeSnapshot().whenComplete((written, _) -> snapshotEnded(written));
        }
        return NANOS_PER_MILLI * 100;
    }

    private void recordVersion() {
        int version = version();
        if (version == data.version()) {
            return;
        }
        try {
            data.recordVersion(version);
        } catch (ClusterException e) { // it is tried again
            LOG.atWarn()
                    .addKeyValue("reason", e.getMessage())
                    .log("could not record the version of the cluster");
        }
    }

    /**
     * @param written null after a failure
     */
    private void snapshotEnded(@Nullable Boolean written) {
        try {
            if (Boolean.TRUE.equals(written)) { // otherwise it is tried again
                snapshotRequest.complete();
            }
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("reason", FailureText.of(e))
                    .log("could not remove the request for a snapshot from the data directory");
        } finally {
            isWritingSnapshot.set(false);
        }
    }

    private void updateReadiness() {
        if (divergence != null) {
            return;
        }
        NodeStatus status = raft.status(driver.isServing(), 0);
        NodeReadiness.Change change =
                nodeReadiness.update(
                        new NodeReadiness.Observation(
                                stopReason(),
                                status.serving(),
                                status.leader() != null,
                                raft.isMajoritySilent(
                                        NodeReadiness.MAX_STALL_NANOS / NANOS_PER_MILLI),
                                status.commitIndex(),
                                status.appliedIndex(),
                                driver.unansweredNanos()),
                        System.nanoTime());
        if (!closed.get()) {
            logChange(change);
        }
    }

    private void logChange(NodeReadiness.Change change) {
        switch (change) {
            case NONE -> {}
            case READY_AGAIN -> LOG.info("this node is ready again");
            case NOT_READY ->
                    LOG.atWarn()
                            .addKeyValue("reason", unready())
                            .log(
                                    config.isSingle()
                                            ? "this node is not ready, requests wait and fail;"
                                                    + " check the disk of the data directory"
                                            : "this node is not ready, requests wait and fail;"
                                                    + " check the other nodes (holdfast cluster"
                                                    + " status), the network and the disks");
        }
    }

    private @Nullable String stopReason() {
        return raft.isOver()
                ? "Raft has stopped: the node was removed from the cluster, or see its log"
                : null;
    }

    /** Leaves the cluster gracefully: clients of other nodes are hardly delayed. */
    @Override
    public void close() {
        close(MAX_CLOSE);
    }

    /**
     * Leaves the cluster gracefully.
     *
     * @param limit the maximum time to wait for the other nodes, which may no longer have a
     *     majority; at least half a second
     */
    public void close(Duration limit) {
        if (closed.getAndSet(true)) {
            return;
        }
        if (divergence != null) {
            stop();
            return;
        }
        TimeLimit remaining =
                new TimeLimit(limit.compareTo(MIN_CLOSE) < 0 ? MIN_CLOSE : limit, System::nanoTime);
        await(driver::isQuiescent, remaining.atMost(APPLY_TIMEOUT));
        driver.leave();
        await(driver::hasLeft, remaining.atMost(LEAVE_TIMEOUT));
        raft.handOver(remaining.atMost(TRANSFER_TIMEOUT));
        stop();
    }

    private static void await(BooleanSupplier condition, Duration limit) {
        long startNanos = System.nanoTime();
        while (!condition.getAsBoolean() && System.nanoTime() - startNanos < limit.toNanos()) {
            LockSupport.parkNanos(NANOS_PER_MILLI);
        }
    }

    private void stop() {
        closed.set(true);
        flushWorker.stop();
        clockWorker.stop();
        tickWorker.stop();
        watchWorker.stop();
        checkWorker.stop();
        syncWorker.stop();
        raft.close();
        close(nodeRpcServer);
        data.close();
    }

    /** What the driver needs from its owner. */
    private final class NodeEnvironment implements ReplicatedDriver.Environment {
        @Override
        public void flushSoon() {
            flushWorker.wake();
        }

        @Override
        public void tickSoon() {
            tickWorker.wake();
        }

        @Override
        public UUID randomUuid() {
            return UUID.randomUUID();
        }

        @Override
        public long wallClockNanos() {
            return Duration.ofMillis(System.currentTimeMillis()).toNanos();
        }

        @Override
        public void runLater(Runnable task) {
            Thread.startVirtualThread(task);
        }
    }
}
