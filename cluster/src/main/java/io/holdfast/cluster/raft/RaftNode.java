package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.driver.ReplicatedDriver;
import io.holdfast.cluster.driver.ReplicatedLog;
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
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** This node's part in keeping the log. */
public final class RaftNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RaftNode.class);

    /** Who was heard of since then is taken to be there. */
    private static final long THERE_MILLIS = 500;

    private static final long SNAPSHOT_MILLIS = 600_000;

    private final ClusterConfig config;
    private final Parameters parameters;
    private final LogSizeLimits limits;
    private final RaftGroupId groupId;
    private final LongSupplier leaderClock;
    private final RatisLog log;
    private volatile @Nullable SocketRaftServerRpc rpc;

    private volatile @Nullable HardStateFile hardState;
    private @Nullable RaftServer server;
    private volatile boolean running;

    /**
     * @param parameters how nodes talk, as {@link RaftTls} says
     * @param leaderClock read for each entry that this node appends as the leader
     */
    public RaftNode(ClusterConfig config, Parameters parameters, LongSupplier leaderClock) {
        this(config, parameters, RaftSettings.logLimits(config), leaderClock);
    }

    RaftNode(
            ClusterConfig config,
            Parameters parameters,
            LogSizeLimits limits,
            LongSupplier leaderClock) {
        this.leaderClock = leaderClock;
        this.config = config;
        this.limits = limits;
        this.parameters = parameters;
        this.groupId = RaftSettings.groupId(config.name());
        this.log = new RatisLog(groupId, config.isSingle(), leaderClock);
        SocketRpcType.put(parameters, new NodeContext());
    }

    public ReplicatedLog log() {
        return log;
    }

    /**
     * Takes part from now on, with what is in a directory.
     *
     * @param used whether something must be in there
     * @param status what is answered to whoever asks this node alone
     * @param fatal told what makes it impossible to go on
     */
    public void start(
            Path directory,
            boolean used,
            ReplicatedDriver driver,
            Supplier<byte[]> status,
            Consumer<Throwable> fatal)
            throws ClusterException {
        requireFree(config.self());
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
        RaftProperties properties = RaftSettings.server(config, directory);
        try {
            RaftServer made =
                    RaftServer.newBuilder()
                            .setServerId(RaftPeerId.valueOf(config.node()))
                            .setGroup(RaftSettings.group(config))
                            .setStateMachine(
                                    new StateMachine(
                                            config.isSingle(),
                                            driver,
                                            limits,
                                            status,
                                            this::snapshotSoon,
                                            fatal,
                                            () -> ended(fatal),
                                            opened,
                                            log::flushed,
                                            leaderClock))
                            .setProperties(properties)
                            .setParameters(parameters)
                            .setOption(RaftStorage.StartupOption.RECOVER)
                            .build();
            server = made;
            made.start();
            log.begin(made);
            running = true;
        } catch (IOException | RuntimeException e) {
            close();
            throw new ClusterException("cannot take part in the cluster: " + reason(e), e);
        }
    }

    /** Ratis would end the process without a word of ours. */
    private static void requireFree(NodeAddress self) throws ClusterException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(self.host(), self.port()));
        } catch (IOException e) {
            throw new ClusterException(
                    "cannot listen for other nodes on "
                            + self.address()
                            + ": "
                            + FailureText.ofListening(e, self.port())
                            + "; end what listens there, or change the address in --cluster",
                    e);
        }
    }

    /** Ratis ends by itself when it cannot go on, and only its own log says why. */
    private void ended(Consumer<Throwable> fatal) {
        if (running) {
            fatal.accept(
                    new IOException(
                            "the log has ended: the node was removed, or see what was logged"
                                    + " before"));
        }
    }

    /** What a failure says at its root. */
    public static String reason(Throwable failure) {
        Throwable last = failure;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        return FailureText.of(last);
    }

    /** Records how far this node has acknowledged and voted, synced; to be called periodically. */
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

    /** Gives up what has taken too long; to be called now and then. */
    public void check() {
        log.check();
        SocketRaftServerRpc talking = rpc;
        if (talking != null) {
            talking.check();
        }
    }

    /** Whether it has ended, by itself or not. */
    public boolean isOver() {
        RaftServer started = server;
        RaftServer.Division division = log.division();
        return started == null
                || started.getLifeCycleState().isClosingOrClosed()
                || started.getLifeCycleState() == LifeCycle.State.EXCEPTION
                || (division != null && division.getInfo().getLifeCycleState().isClosingOrClosed());
    }

    /** Whether this node leads, and has not heard of most of the others for so long. */
    public boolean isMajoritySilent(long millis) {
        RaftServer.Division division = log.division();
        if (division == null || !division.getInfo().isLeader()) {
            return false;
        }
        Set<ByteString> heard = new HashSet<>();
        heard.add(division.getId().toByteString());
        for (ServerRpcProto follower :
                division.getInfo().getRoleInfoProto().getLeaderInfo().getFollowerInfoList()) {
            if (follower.getLastRpcElapsedTimeMs() < millis) {
                heard.add(follower.getId().getId());
            }
        }
        RaftConfiguration members = division.getRaftConf();
        return isMinority(heard, members.getCurrentPeers())
                || isMinority(heard, members.getPreviousPeers());
    }

    private static boolean isMinority(Set<ByteString> heard, Collection<RaftPeer> voters) {
        long there =
                voters.stream().filter(peer -> heard.contains(peer.getId().toByteString())).count();
        return !voters.isEmpty() && there <= voters.size() / 2;
    }

    /** How far the log is committed, as far as any node has told this one. */
    private static long commitIndex(RaftServer.Division division) {
        long known = division.getRaftLog().getLastCommittedIndex();
        for (CommitInfoProto node : division.getCommitInfos()) {
            known = Math.max(known, node.getCommitIndex());
        }
        return known;
    }

    /** How the log looks from here. */
    public NodeStatus status(boolean serving, int sessions) {
        RaftServer.Division division = log.division();
        if (division == null) {
            return new NodeStatus(
                    config.node(), "starting", 0, null, -1, -1, serving, sessions, List.of());
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
                                peer.getId().toStringUtf8(),
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
                                                    peer.getId().toString(),
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
                                : info.getCurrentRole().name().toLowerCase(Locale.ROOT),
                info.getCurrentTerm(),
                leader == null ? null : leader.toString(),
                commitIndex(division),
                info.getLastAppliedIndex(),
                serving,
                sessions,
                peers);
    }

    /** Has the state written to a file, and the log before it forgotten, when there is time. */
    private void snapshotSoon() {
        RaftServer started = server;
        if (started == null) {
            return;
        }
        Thread.startVirtualThread(
                () ->
                        started.snapshotManagementAsync(
                                SnapshotManagementRequest.newCreate(
                                        ClientId.randomId(),
                                        started.getId(),
                                        groupId,
                                        1,
                                        SNAPSHOT_MILLIS,
                                        1)));
    }

    /** Transfers the leadership, if this node leads and another one is there. */
    public void handOver(Duration timeout) {
        RaftServer started = server;
        if (started == null || !log.isLeader() || timeout.toMillis() == 0) {
            return;
        }
        String next =
                status(true, 0).peers().stream()
                        .filter(RaftNode::isThere)
                        .max(Comparator.comparingLong(NodeStatus.Peer::matchIndex))
                        .map(NodeStatus.Peer::node)
                        .orElse(null);
        if (next == null) {
            return;
        }
        try {
            RaftClientReply reply =
                    started.transferLeadershipAsync(
                                    new TransferLeadershipRequest(
                                            ClientId.randomId(),
                                            started.getId(),
                                            groupId,
                                            1,
                                            RaftPeerId.valueOf(next),
                                            timeout.toMillis()))
                            .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            LOG.atInfo()
                    .addKeyValue("to", next)
                    .addKeyValue("done", reply.isSuccess())
                    .log("leadership handed over");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            LOG.atWarn()
                    .addKeyValue("to", next)
                    .addKeyValue("timeout_ms", timeout.toMillis())
                    .log("leadership was not handed over in time; the others elect a leader");
        } catch (Exception e) { // whatever it is, the others elect one by themselves
            LOG.atWarn()
                    .addKeyValue("reason", reason(e))
                    .log(
                            "could not transfer leadership before the shutdown; the other nodes"
                                    + " will elect a leader");
        }
    }

    private static boolean isThere(NodeStatus.Peer peer) {
        return peer.lastContactMillis() < THERE_MILLIS;
    }

    @Override
    public void close() {
        running = false;
        RaftServer started = server;
        if (started != null) {
            try {
                SocketRaftServerRpc talking = rpc;
                if (talking != null) {
                    talking.close(); // nobody is to be told that it is going down
                }
                started.close();
            } catch (IOException e) {
                LOG.atWarn().addKeyValue("reason", e).log("error while closing the Raft log");
            }
        }
        HardStateFile opened = hardState;
        if (opened != null) {
            opened.close();
        }
    }

    /** Where Ratis finds what it needs to talk. */
    private final class NodeContext implements SocketRpcType.ServerContext {
        @Override
        public InetSocketAddress address() {
            return new InetSocketAddress(config.self().host(), config.self().port());
        }

        @Override
        public void proposed(byte[] entry, Runnable refused) {
            log.receive(entry, refused);
        }

        @Override
        public HardStateFile hardState() {
            return Objects.requireNonNull(hardState);
        }

        @Override
        public void add(SocketRaftServerRpc made) {
            rpc = made;
            log.use(made);
        }
    }
}
