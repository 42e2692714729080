package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.check.Divergence;
import io.holdfast.cluster.check.StateCheckReport;
import io.holdfast.cluster.check.StateChecks;
import io.holdfast.cluster.check.StateHashMessage;
import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.driver.ReplicatedLog;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RefusedConnections;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.driver.FailureText;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** This node's Raft server. */
public final class RaftNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RaftNode.class);

    /** A peer whose last response is not older than this is taken to be up. */
    private static final long UP_MILLIS = 500;

    private static final long SNAPSHOT_MILLIS = 600_000;

    private final ClusterConfig config;
    private final NodeIdentity identity;
    private final IntSupplier clusterVersion;
    private final NodeRpcServer nodeRpcServer;
    private final PeerAdmission admission;
    private final Parameters parameters = new Parameters();
    private final LogSizeLimits limits;
    private final RaftGroupId groupId;
    private final Supplier<EntryTime> leaderClock;
    private final RatisLog log;
    private final StateChecks checks;
    private volatile Supplier<byte[]> status = () -> new byte[0];
    private volatile @Nullable SocketRaftServerRpc rpc;

    private volatile @Nullable HardStateFile hardState;
    private @Nullable RaftServer server;
    private volatile boolean running;
    private volatile Consumer<Divergence> onDiverged = _ -> {};

    /**
     * @param nodeRpcServer accepts the connections of other nodes; closed with this object
     * @param rpcSocketFactory creates the connections to other nodes, from {@link RaftTls}
     * @param leaderClock read for each entry that this node appends as the leader
     * @param clusterVersion returns the version of the cluster as this node knows it
     */
    public RaftNode(
            ClusterConfig config,
            NodeIdentity identity,
            NodeRpcServer nodeRpcServer,
            RpcSocketFactory rpcSocketFactory,
            RefusedConnections refused,
            Supplier<EntryTime> leaderClock,
            IntSupplier clusterVersion) {
        this(
                config,
                identity,
                nodeRpcServer,
                rpcSocketFactory,
                refused,
                RaftSettings.logLimits(config),
                leaderClock,
                clusterVersion);
    }

    RaftNode(
            ClusterConfig config,
            NodeIdentity identity,
            NodeRpcServer nodeRpcServer,
            RpcSocketFactory rpcSocketFactory,
            RefusedConnections refused,
            LogSizeLimits limits,
            Supplier<EntryTime> leaderClock,
            IntSupplier clusterVersion) {
        this.leaderClock = leaderClock;
        this.config = config;
        this.identity = identity;
        this.clusterVersion = clusterVersion;
        this.nodeRpcServer = nodeRpcServer;
        this.limits = limits;
        this.groupId = RaftGroupId.valueOf(identity.clusterId());
        this.log =
                new RatisLog(groupId, config.isSingle(), config.versions().cluster(), leaderClock);
        this.admission =
                new PeerAdmission(
                        identity, config.versions(), clusterVersion, log::division, refused);
        this.checks = new StateChecks(identity.self().dataId(), new CheckEnvironment());
        SocketRpcType.put(parameters, rpcSocketFactory);
        SocketRpcType.put(parameters, new NodeContext());
    }

    public ReplicatedLog log() {
        return log;
    }

    /**
     * Starts the Raft server with the files of a directory.
     *
     * @param used whether the directory must have a log
     * @param restored whether the node has formed its cluster from a backup, and may add several
     *     nodes at once
     * @param nodeStatus returns the response to a status query of this node
     * @param fatal called when the node cannot continue
     * @param diverged called when the state of this node differs from that of others
     */
    public void start(
            Path directory,
            boolean used,
            boolean restored,
            ReplicatedDriver driver,
            Supplier<byte[]> nodeStatus,
            Consumer<Throwable> fatal,
            Consumer<Divergence> diverged)
            throws ClusterException {
        status = nodeStatus;
        onDiverged = diverged;
        Path group = directory.resolve(groupId.getUuid().toString());
        HardStateFile opened = HardStateFile.open(group, used, fatal);
        hardState = opened;
        try {
            LogIntegrityCheck.check(group, used, opened.state().acknowledged());
            RatisMetadataFiles.check(group, opened);
        } catch (ClusterException | RuntimeException e) {
            opened.close();
            throw e;
        }
        RaftProperties properties = RaftSettings.server(config, directory, restored);
        try {
            RaftServer created =
                    RaftServer.newBuilder()
                            .setServerId(RaftPeers.id(identity.self()))
                            .setGroup(RaftSettings.group(identity))
                            .setStateMachine(
                                    new StateMachine(
                                            config.isSingle(),
                                            config.versions().cluster(),
                                            driver,
                                            limits,
                                            this::snapshotSoon,
                                            fatal,
                                            () -> ended(fatal),
                                            opened,
                                            log::flushed,
                                            leaderClock,
                                            (index, hash) ->
                                                    checks.add(index, hash, System.nanoTime())))
                            .setProperties(properties)
                            .setParameters(parameters)
                            .setOption(RaftStorage.StartupOption.RECOVER)
                            .build();
            server = created;
            created.start();
            running = true;
        } catch (IOException | RuntimeException e) {
            close();
            throw new ClusterException("cannot join the cluster: " + reason(e), e);
        }
    }

    /** Ratis stops by itself when it cannot continue, and logs the reason only in its own log. */
    private void ended(Consumer<Throwable> fatal) {
        if (running) {
            fatal.accept(
                    new IOException(
                            "Raft has stopped: the node was removed from the cluster; if it was"
                                    + " not removed, see the last error in this log"));
        }
    }

    /** Returns the message of the root cause of a failure. */
    public static String reason(Throwable failure) {
        Throwable last = failure;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        return FailureText.of(last);
    }

    /** Writes and syncs the acknowledged index and the vote of this node. Called periodically. */
    public void sync() {
        HardStateFile opened = hardState;
        RaftServer.Division division = log.division();
        if (opened == null || division == null) {
            return;
        }
        try {
            RatisMetadataFiles.recordVote(division.getRaftStorage(), opened);
            opened.sync();
        } catch (IOException | RuntimeException e) {
            LOG.atWarn().addKeyValue("reason", reason(e)).log("could not sync the hard state");
        }
    }

    /** Times out proposals and calls, and compares hashes. Called periodically. */
    public void check() {
        log.check();
        checks.tick(System.nanoTime());
        SocketRaftServerRpc transport = rpc;
        if (transport != null) {
            transport.check();
        }
    }

    /** Returns the number of entries after which the state of this node was hashed. */
    public long checks() {
        return checks.applied();
    }

    /**
     * Ends this node as a member: it neither votes nor acknowledges anything from now on, and its
     * leadership passes to another node. Administrators can still ask for its status.
     *
     * @param reason given to other nodes
     * @param timeout for the transfer of the leadership; zero for none
     */
    public void halt(String reason, Duration timeout) {
        running = false;
        SocketRaftServerRpc transport = rpc;
        if (transport != null) {
            transport.halt(reason);
        }
        handOver(timeout);
        close();
    }

    /** Whether the Raft server has stopped, by itself or by {@link #close}, or was not started. */
    public boolean isOver() {
        RaftServer started = server;
        RaftServer.Division division = log.division();
        return started == null
                || started.getLifeCycleState().isClosingOrClosed()
                || started.getLifeCycleState() == LifeCycle.State.EXCEPTION
                || (division != null && division.getInfo().getLifeCycleState().isClosingOrClosed());
    }

    /**
     * Whether this node is the leader, and it and the nodes that have responded lately are no
     * majority.
     *
     * @param millis the time without a response, in milliseconds
     */
    public boolean isMajoritySilent(long millis) {
        RaftServer.Division division = log.division();
        if (division == null || !division.getInfo().isLeader()) {
            return false;
        }
        Set<ByteString> responsive = new HashSet<>();
        responsive.add(division.getId().toByteString());
        for (ServerRpcProto follower :
                division.getInfo().getRoleInfoProto().getLeaderInfo().getFollowerInfoList()) {
            if (follower.getLastRpcElapsedTimeMs() < millis) {
                responsive.add(follower.getId().getId());
            }
        }
        RaftConfiguration members = division.getRaftConf();
        return isMinority(responsive, members.getCurrentPeers())
                || isMinority(responsive, members.getPreviousPeers());
    }

    private static boolean isMinority(Set<ByteString> responsive, Collection<RaftPeer> voters) {
        long count =
                voters.stream()
                        .filter(peer -> responsive.contains(peer.getId().toByteString()))
                        .count();
        return !voters.isEmpty() && count <= voters.size() / 2;
    }

    /** Returns the highest commit index that any node has reported to this one. */
    private static long commitIndex(RaftServer.Division division) {
        long known = division.getRaftLog().getLastCommittedIndex();
        for (CommitInfoProto node : division.getCommitInfos()) {
            known = Math.max(known, node.getCommitIndex());
        }
        return known;
    }

    /** Returns the members of the cluster as this node knows them. */
    public MemberList members() {
        return admission.members();
    }

    /** Returns the state of the cluster as this node sees it. */
    public NodeStatus status(boolean serving, int sessions) {
        RaftServer.Division division = log.division();
        if (division == null) {
            return new NodeStatus(
                    config.node(),
                    NodeReport.STARTING,
                    0,
                    null,
                    -1,
                    -1,
                    serving,
                    sessions,
                    clusterVersion.getAsInt(),
                    config.versions().cluster(),
                    List.of());
        }
        DivisionInfo info = division.getInfo();
        List<NodeStatus.Peer> peers = new ArrayList<>();
        long[] matches = info.getFollowerMatchIndices();
        if (info.isLeader()) {
            var leading = info.getRoleInfoProto().getLeaderInfo();
            int next = 0;
            for (ServerRpcProto follower : leading.getFollowerInfoList()) {
                RaftPeerProto peer = follower.getId();
                peers.add(
                        new NodeStatus.Peer(
                                RaftPeers.name(peer.getId().toStringUtf8()),
                                peer.getAddress(),
                                matches != null && next < matches.length ? matches[next] : -1,
                                follower.getLastRpcElapsedTimeMs()));
                next++;
            }
        } else {
            division.getGroup()
                    .getPeers()
                    .forEach(
                            peer -> {
                                if (!peer.getId().equals(division.getId())) {
                                    peers.add(
                                            new NodeStatus.Peer(
                                                    RaftPeers.name(peer.getId()),
                                                    peer.getAddress(),
                                                    -1,
                                                    -1));
                                }
                            });
        }
        RaftPeerId leader = info.getLeaderId();
        return new NodeStatus(
                config.node(),
                info.isLeaderReady()
                        ? "leader"
                        : info.isLeader()
                                ? "new leader"
                                : admission.isMember()
                                        ? info.getCurrentRole().name().toLowerCase(Locale.ROOT)
                                        : NodeReport.JOINING,
                info.getCurrentTerm(),
                leader == null ? null : RaftPeers.name(leader),
                commitIndex(division),
                info.getLastAppliedIndex(),
                serving,
                sessions,
                clusterVersion.getAsInt(),
                config.versions().cluster(),
                peers);
    }

    /** Writes a snapshot and purges the log before it, in the background. */
    private void snapshotSoon() {
        Thread.startVirtualThread(this::writeSnapshot);
    }

    /**
     * Writes a snapshot of all applied entries, unless the last one has them, and purges the log
     * before it.
     *
     * @return whether it was written
     */
    public CompletableFuture<Boolean> writeSnapshot() {
        RaftServer started = server;
        if (started == null) {
            return CompletableFuture.completedFuture(false);
        }
        return started.snapshotManagementAsync(
                        SnapshotManagementRequest.newCreate(
                                ClientId.randomId(),
                                started.getId(),
                                groupId,
                                1,
                                SNAPSHOT_MILLIS,
                                1))
                .thenApply(RaftClientReply::isSuccess);
    }

    /**
     * Replaces the members, unless they have changed since; if this node is the leader. After a
     * failure they may have been replaced.
     */
    public void changeMembers(List<Member> current, List<Member> next, Duration timeout)
            throws IOException {
        RaftServer started = server;
        if (started == null) {
            throw new IOException("the node is not started");
        }
        SetConfigurationRequest request =
                new SetConfigurationRequest(
                        ClientId.randomId(),
                        started.getId(),
                        groupId,
                        1,
                        SetConfigurationRequest.Arguments.newBuilder()
                                .setServersInNewConf(RaftPeers.peers(next))
                                .setServersInCurrentConf(RaftPeers.peers(current))
                                .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                                .build());
        try {
            RaftClientReply reply =
                    log.memberChanges()
                            .change(() -> changeMembers(started, request))
                            .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            if (!reply.isSuccess()) {
                throw new IOException(RaftAdminClient.reason(reply.getException()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        } catch (ExecutionException e) {
            throw new IOException(reason(e), e);
        } catch (TimeoutException e) {
            throw new IOException("no response in time", e);
        }
    }

    private static CompletableFuture<RaftClientReply> changeMembers(
            RaftServer started, SetConfigurationRequest request) {
        try {
            return started.setConfigurationAsync(request);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Transfers the leadership if this node is the leader and another node is up. */
    public void handOver(Duration timeout) {
        RaftServer started = server;
        if (started == null || !log.isLeader() || timeout.toMillis() == 0) {
            return;
        }
        RaftPeerId next = successor();
        if (next == null) {
            return;
        }
        String name = RaftPeers.name(next);
        try {
            RaftClientReply reply =
                    started.transferLeadershipAsync(
                                    new TransferLeadershipRequest(
                                            ClientId.randomId(),
                                            started.getId(),
                                            groupId,
                                            1,
                                            next,
                                            timeout.toMillis()))
                            .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            LOG.atInfo()
                    .addKeyValue("to", name)
                    .addKeyValue("done", reply.isSuccess())
                    .log("leadership transferred");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            LOG.atWarn()
                    .addKeyValue("to", name)
                    .addKeyValue("timeout_ms", timeout.toMillis())
                    .log(
                            "leadership was not transferred in time; the other nodes will elect a"
                                    + " leader");
        } catch (Exception e) { // whatever the reason, the other nodes elect a leader
            LOG.atWarn()
                    .addKeyValue("reason", reason(e))
                    .log(
                            "could not transfer leadership before the shutdown; the other nodes"
                                    + " will elect a leader");
        }
    }

    /** Returns the follower that has most of the log, of those that are up. */
    private @Nullable RaftPeerId successor() {
        RaftServer.Division division = log.division();
        if (division == null || !division.getInfo().isLeader()) {
            return null;
        }
        long[] matches = division.getInfo().getFollowerMatchIndices();
        RaftPeerId best = null;
        long most = Long.MIN_VALUE;
        int next = 0;
        for (ServerRpcProto follower :
                division.getInfo().getRoleInfoProto().getLeaderInfo().getFollowerInfoList()) {
            long match = matches != null && next < matches.length ? matches[next] : -1;
            next++;
            if (follower.getLastRpcElapsedTimeMs() < UP_MILLIS && match > most) {
                most = match;
                best = RaftPeerId.valueOf(follower.getId().getId());
            }
        }
        return best;
    }

    /** Closes the server of connections, too: no message is handled during the shutdown. */
    @Override
    public void close() {
        running = false;
        RaftServer started = server;
        if (started != null) {
            try {
                SocketRaftServerRpc transport = rpc;
                if (transport != null) {
                    transport.close(); // first: no message is sent during the shutdown
                }
                started.close();
            } catch (IOException e) {
                LOG.atWarn()
                        .addKeyValue("reason", reason(e))
                        .log("error while closing the Raft log");
            }
        }
        HardStateFile opened = hardState;
        if (opened != null) {
            hardState = null;
            opened.close();
        }
    }

    /** What the comparison of hashes needs from this node. */
    private final class CheckEnvironment implements StateChecks.Environment {
        @Override
        public List<Member> members() {
            return RaftNode.this.members().members();
        }

        @Override
        public void send(Member to, StateHashMessage message) {
            SocketRaftServerRpc transport = rpc;
            if (transport != null) {
                // not on this thread, which closes connections that are stuck
                Thread.startVirtualThread(() -> transport.send(to, message));
            }
        }

        @Override
        public void onDiverged(Divergence divergence) {
            onDiverged.accept(divergence);
        }
    }

    /** What the transport needs from this node. */
    private final class NodeContext implements SocketRpcType.ServerContext {
        @Override
        public NodeRpcServer nodeRpcServer() {
            return nodeRpcServer;
        }

        @Override
        public void started(RaftServer started) throws IOException {
            log.start(started);
        }

        @Override
        public PeerAdmission admission() {
            return admission;
        }

        @Override
        public byte[] status() {
            return status.get();
        }

        @Override
        public void proposed(byte[] entry, Runnable onRejected) {
            log.receive(entry, onRejected);
        }

        @Override
        public void received(UUID from, StateHashMessage message) {
            checks.receive(from, message);
        }

        @Override
        public CompletableFuture<byte[]> check() {
            var report = checks.request(System.nanoTime());
            log.propose(
                    LogEntryEncoding.encode(new LogEntry.CheckState(), ClusterVersion.FIRST),
                    _ -> {});
            return report.thenApply(StateCheckReport::toBytes);
        }

        @Override
        public HardStateFile hardState() {
            return Objects.requireNonNull(hardState);
        }

        @Override
        public MemberChangeGate memberChanges() {
            return log.memberChanges();
        }

        @Override
        public void add(SocketRaftServerRpc created) {
            rpc = created;
            log.setRpc(created);
        }
    }
}
