package io.holdfast.cluster.raft;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.check.StateHashMessage;
import io.holdfast.cluster.formation.NodeCalls;
import io.holdfast.cluster.rpc.Greeting;
import io.holdfast.cluster.rpc.NodeRpcClient;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RpcRefusedException;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.driver.DurableFile;

import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.SetConfigurationRequestProto;
import org.apache.ratis.proto.RaftProtos.SnapshotManagementRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.proto.RaftProtos.TransferLeadershipRequestProto;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorageDirectory;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.ProtoUtils;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The RPC of a Ratis server: its calls to other nodes and the handling of theirs.
 *
 * <p>There are two connections to each node. Votes, heartbeats and commit indices go over one,
 * where they never wait behind entries and snapshots, which go over the other. So messages of one
 * node may overtake each other; the list in the README of this module says why that is safe.
 */
final class SocketRaftServerRpc implements RaftServerRpc, FollowerTransport {
    /** A connection without progress or a response for this long is replaced. */
    private static final long TIMEOUT_MILLIS = 2000;

    /** The timeout of a snapshot chunk; a snapshot is sent from the beginning after a failure. */
    private static final long CHUNK_TIMEOUT_MILLIS = 10_000;

    /**
     * The timeout of the last chunk, and of what is sent after it: the follower loads the snapshot
     * before it responds to anything.
     */
    private static final long LOADING_TIMEOUT_MILLIS = 120_000;

    private final RaftServer server;
    private final SocketRpcType.ServerContext context;
    private final NodeRpcServer nodeRpcServer;
    private final PeerAdmission admission;
    private final Supplier<byte[]> status;
    private final RpcSocketFactory rpcSocketFactory;
    private final HardStateFile hardState;
    private final MemberChangeGate memberChanges;
    private final BiConsumer<byte[], Runnable> proposed;
    private final Map<RaftPeerId, RaftPeer> peers = new ConcurrentHashMap<>();
    private final Map<RaftPeerId, Connections> connections = new ConcurrentHashMap<>();

    /** The members at the last {@link #check}, which alone uses it. */
    private Set<RaftPeerId> lastMembers = Set.of();

    /** Requests with entries that Ratis has not yet completed as written. */
    private final Set<Long> writing = ConcurrentHashMap.newKeySet();

    private final Lock appending = new ReentrantLock();

    /** Held while a change of the members begins. */
    private final Lock changing = new ReentrantLock();

    @GuardedBy("appending")
    private long lastWriting;

    private volatile boolean closed;

    /** Why this node exchanges no more messages with others; null if it does. */
    private volatile @Nullable String halted;

    /**
     * The connections to a node.
     *
     * @param control for small messages that must not wait: votes, heartbeats, commit indices
     * @param bulk for entries, snapshots and proposals. A node sends entries as the leader and
     *     proposals as a follower, so they do not wait for each other, and the proposals of a node
     *     do not delay its vote.
     */
    private record Connections(NodeRpcClient control, NodeRpcClient bulk) {
        void close() {
            control.close();
            bulk.close();
        }
    }

    /**
     * @param context its hard state is written before other nodes get acknowledgements and votes
     */
    SocketRaftServerRpc(
            RaftServer server,
            RpcSocketFactory rpcSocketFactory,
            SocketRpcType.ServerContext context) {
        this.server = server;
        this.context = context;
        this.nodeRpcServer = context.nodeRpcServer();
        this.admission = context.admission();
        this.status = context::status;
        this.rpcSocketFactory = rpcSocketFactory;
        this.hardState = context.hardState();
        this.memberChanges = context.memberChanges();
        this.proposed = context::proposed;
    }

    @Override
    public RpcType getRpcType() {
        return new SocketRpcType();
    }

    @Override
    public void start() throws IOException {
        context.started(server);
        nodeRpcServer.changeService(new PeerService());
    }

    @Override
    public InetSocketAddress getInetSocketAddress() {
        return nodeRpcServer.address();
    }

    @Override
    public void addRaftPeers(Collection<RaftPeer> known) {
        known.forEach(peer -> peers.put(peer.getId(), peer));
    }

    @Override
    public void handleException(RaftPeerId serverId, Exception e, boolean reconnect) {
        // NodeRpcClient replaces failed connections itself
    }

    // ---- calls to other nodes

    private Connections to(RaftPeerId id) {
        Connections known = connections.get(id);
        return known != null ? known : connections.computeIfAbsent(id, this::newConnections);
    }

    private Connections newConnections(RaftPeerId id) {
        Connections created =
                new Connections(
                        newClient("holdfast-cluster-out", id),
                        newClient("holdfast-cluster-bulk", id));
        if (closed) {
            created.close();
        }
        return created;
    }

    private NodeRpcClient newClient(String name, RaftPeerId id) {
        return new NodeRpcClient(name, () -> address(id), rpcSocketFactory, admission.toMember(id));
    }

    /**
     * Returns the address for the next connection. That of the member list counts, which also goes
     * back when an entry with a newer one is removed from the log; the other one is that of a node
     * which is about to become a member.
     */
    private InetSocketAddress address(RaftPeerId id) {
        RaftPeer member = admission.peer(id);
        return SocketRpcType.address(member == null ? peers.get(id) : member);
    }

    private static byte[] await(CompletableFuture<byte[]> response) throws IOException {
        try {
            return response.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    private static RaftPeerId id(ByteString bytes) {
        return RaftPeerId.valueOf(bytes);
    }

    @Override
    public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
            throws IOException {
        recordCommit(request);
        Connections to = to(id(request.getServerRequest().getReplyId()));
        AppendEntriesReplyProto reply =
                AppendEntriesReplyProto.parseFrom(
                        await(
                                (request.getEntriesCount() == 0 ? to.control : to.bulk)
                                        .call(
                                                RpcMessageTypes.APPEND,
                                                request.toByteArray(),
                                                TIMEOUT_MILLIS)));
        hardState.observeTerm(reply.getTerm());
        return reply;
    }

    @Override
    public CompletableFuture<AppendEntriesReplyProto> append(
            RaftPeerId to, AppendEntriesRequestProto request) {
        return append(to(to).bulk, request, TIMEOUT_MILLIS);
    }

    @Override
    public CompletableFuture<AppendEntriesReplyProto> sendHeartbeat(
            RaftPeerId to, AppendEntriesRequestProto request, boolean loading) {
        Connections connected = to(to);
        connected.bulk.connectInBackground();
        return append(
                connected.control, request, loading ? LOADING_TIMEOUT_MILLIS : TIMEOUT_MILLIS);
    }

    private CompletableFuture<AppendEntriesReplyProto> append(
            NodeRpcClient to, AppendEntriesRequestProto request, long timeoutMillis) {
        try {
            recordCommit(request);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        return to.callIfConnected(RpcMessageTypes.APPEND, request.toByteArray(), timeoutMillis)
                .thenApply(
                        bytes ->
                                RpcMessageTypes.parse(
                                        () -> AppendEntriesReplyProto.parseFrom(bytes)))
                .whenComplete(
                        (reply, _) -> {
                            if (reply != null) {
                                hardState.observeTerm(reply.getTerm());
                            }
                        });
    }

    /**
     * Records that this leader acknowledges the entries that it reports as committed: its own log
     * counts towards the majority.
     */
    private void recordCommit(AppendEntriesRequestProto request) {
        long commit = request.getLeaderCommit();
        if (commit > hardState.state().acknowledged()) {
            long flushed = division(request).getRaftLog().getFlushIndex();
            hardState.acknowledgeCommitted(Math.min(commit, flushed));
        }
    }

    @Override
    public boolean isConnected(RaftPeerId to) {
        return to(to).bulk.isConnected();
    }

    @Override
    public boolean sendCommitIndex(RaftPeerId to, AppendEntriesRequestProto heartbeat) {
        recordCommit(heartbeat);
        return to(to).control.sendOneWay(RpcMessageTypes.HEARTBEAT, heartbeat.toByteArray());
    }

    @Override
    public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
        recordVote(request);
        RequestVoteReplyProto reply =
                RequestVoteReplyProto.parseFrom(
                        await(
                                to(id(request.getServerRequest().getReplyId()))
                                        .control
                                        .call(
                                                RpcMessageTypes.VOTE,
                                                request.toByteArray(),
                                                TIMEOUT_MILLIS)));
        hardState.observeTerm(reply.getTerm());
        return reply;
    }

    @Override
    public StartLeaderElectionReplyProto startLeaderElection(
            StartLeaderElectionRequestProto request) throws IOException {
        return StartLeaderElectionReplyProto.parseFrom(
                await(
                        to(id(request.getServerRequest().getReplyId()))
                                .control
                                .call(
                                        RpcMessageTypes.ELECT,
                                        request.toByteArray(),
                                        TIMEOUT_MILLIS)));
    }

    @Override
    public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
            throws IOException {
        InstallSnapshotReplyProto reply =
                InstallSnapshotReplyProto.parseFrom(
                        await(send(id(request.getServerRequest().getReplyId()), request)));
        hardState.observeTerm(reply.getTerm());
        return reply;
    }

    private CompletableFuture<byte[]> send(RaftPeerId to, InstallSnapshotRequestProto request) {
        return to(to).bulk
                .call(
                        RpcMessageTypes.SNAPSHOT,
                        request.toByteArray(),
                        request.getSnapshotChunk().getDone()
                                ? LOADING_TIMEOUT_MILLIS
                                : CHUNK_TIMEOUT_MILLIS);
    }

    @Override
    public CompletableFuture<InstallSnapshotReplyProto> sendChunk(
            RaftPeerId to, InstallSnapshotRequestProto request) {
        return send(to, request)
                .thenApply(
                        bytes ->
                                RpcMessageTypes.parse(
                                        () -> InstallSnapshotReplyProto.parseFrom(bytes)))
                .whenComplete(
                        (reply, _) -> {
                            if (reply != null) {
                                hardState.observeTerm(reply.getTerm());
                            }
                        });
    }

    /**
     * Sends a proposal to the leader.
     *
     * @param onRejected called if the entry is known not to be committed
     */
    void propose(RaftPeerId to, byte[] entry, Runnable onRejected) {
        if (!admission.isMember()) {
            onRejected.run(); // the leader refuses this node until it is a member
            return;
        }
        to(to).bulk.sendOneWay(RpcMessageTypes.PROPOSE, entry, onRejected);
    }

    /** Sends the hash of the state of this node, or drops it and connects. */
    void send(Member to, StateHashMessage message) {
        NodeRpcClient control = to(RaftPeers.id(to)).control;
        if (!control.sendOneWay(RpcMessageTypes.STATE_HASH, message.toBytes())) {
            control.connectInBackground();
        }
    }

    /**
     * From now on, accepts no messages of other nodes: this node neither votes nor acknowledges
     * anything. Administrators can still ask for its status, also after {@link #close}.
     */
    void halt(String reason) {
        halted = reason;
    }

    /** Replaces the connection for proposals to a node. */
    void reconnect(RaftPeerId to) {
        to(to).bulk.reconnect();
    }

    /**
     * Closes connections without a response, and those with nodes that are no longer members.
     * Called periodically, by one thread.
     */
    void check() {
        closeRemoved();
        for (Connections open : connections.values()) {
            open.control.check();
            open.bulk.check();
        }
    }

    /** A node that is about to become a member is not one yet, and keeps its connections. */
    private void closeRemoved() {
        Set<RaftPeerId> members = admission.peers();
        lastMembers.stream().filter(id -> !members.contains(id)).forEach(peers::remove);
        lastMembers = members;
        connections.forEach(
                (id, open) -> {
                    if (!members.contains(id)
                            && !peers.containsKey(id)
                            && connections.remove(id, open)) {
                        open.close();
                    }
                });
        nodeRpcServer.closeNodes(opener -> !admission.isMember(opener));
    }

    // ---- calls from other nodes

    /** Serves members and administrators. */
    private final class PeerService implements NodeRpcServer.Service {
        @Override
        public Greeting greeting() {
            return admission.greeting();
        }

        @Override
        public NodeRpcServer.Handler accept(Greeting opener) throws RpcRefusedException {
            admission.require(opener);
            requireActive(opener);
            return opener.kind() == Greeting.Kind.NODE
                    ? new MemberHandler(opener)
                    : SocketRaftServerRpc.this::handleAdmin;
        }
    }

    /** Handles the messages of a member, for as long as it is one. */
    private final class MemberHandler implements NodeRpcServer.Handler {
        private final Greeting opener;
        private final ByteString sender;

        MemberHandler(Greeting opener) {
            this.opener = opener;
            this.sender = RaftPeers.id(opener.node(), opener.dataId()).toByteString();
        }

        @Override
        public @Nullable CompletableFuture<byte[]> handle(byte kind, byte[] body)
                throws IOException {
            admission.require(opener);
            requireActive(opener);
            return switch (kind) {
                case RpcMessageTypes.APPEND -> append(entries(body));
                case RpcMessageTypes.HEARTBEAT -> {
                    var _ = begin(entries(body));
                    yield null;
                }
                case RpcMessageTypes.PROPOSE -> {
                    CompletableFuture<byte[]> refusal = new CompletableFuture<>();
                    proposed.accept(
                            body,
                            () ->
                                    refusal.completeExceptionally(
                                            new IOException("the proposal was not committed")));
                    yield refusal;
                }
                case RpcMessageTypes.STATE_HASH -> {
                    UUID from = opener.dataId();
                    if (from != null) {
                        context.received(from, StateHashMessage.of(body));
                    }
                    yield null;
                }
                case RpcMessageTypes.VOTE -> {
                    var request = RequestVoteRequestProto.parseFrom(body);
                    requireSender(request.getServerRequest());
                    yield done(vote(request).toByteArray());
                }
                case RpcMessageTypes.ELECT -> {
                    var request = StartLeaderElectionRequestProto.parseFrom(body);
                    requireSender(request.getServerRequest());
                    yield done(server.startLeaderElection(request).toByteArray());
                }
                case RpcMessageTypes.SNAPSHOT -> {
                    var request = InstallSnapshotRequestProto.parseFrom(body);
                    requireSender(request.getServerRequest());
                    yield done(install(request).toByteArray());
                }
                default -> throw new IOException("unknown message type " + kind);
            };
        }

        private AppendEntriesRequestProto entries(byte[] body) throws IOException {
            var request = AppendEntriesRequestProto.parseFrom(body);
            requireSender(request.getServerRequest());
            return request;
        }

        /** Refuses a message in the name of another node than that of the greeting. */
        private void requireSender(RaftRpcRequestProto request) throws RpcRefusedException {
            if (!sender.equals(request.getRequestorId())) {
                throw new RpcRefusedException(
                        opener.node() + " has sent a message in the name of another node");
            }
        }
    }

    private void requireActive(Greeting opener) throws RpcRefusedException {
        String reason = halted;
        if (reason != null && opener.kind() == Greeting.Kind.NODE) {
            throw new RpcRefusedException(reason);
        }
    }

    private CompletableFuture<byte[]> handleAdmin(byte kind, byte[] body) throws IOException {
        return switch (kind) {
            case NodeCalls.STATUS -> done(status.get());
            case NodeCalls.CHECK -> context.check();
            case RpcMessageTypes.CONFIGURE -> {
                SetConfigurationRequest change =
                        ClientProtoUtils.toSetConfigurationRequest(
                                SetConfigurationRequestProto.parseFrom(body));
                yield reply(memberChanges.change(() -> changeMembers(change)));
            }
            case RpcMessageTypes.TRANSFER ->
                    reply(
                            server.transferLeadershipAsync(
                                    ClientProtoUtils.toTransferLeadershipRequest(
                                            TransferLeadershipRequestProto.parseFrom(body))));
            case RpcMessageTypes.SNAPSHOT_MANAGEMENT ->
                    reply(
                            server.snapshotManagementAsync(
                                    ClientProtoUtils.toSnapshotManagementRequest(
                                            SnapshotManagementRequestProto.parseFrom(body))));
            case RpcMessageTypes.READ_SNAPSHOT ->
                    done(SnapshotChunk.read(snapshots(), body).encode());
            default -> throw new IOException("unknown message type " + kind);
        };
    }

    /** One at a time: Ratis compares no addresses when it begins the change. */
    private CompletableFuture<RaftClientReply> changeMembers(SetConfigurationRequest request) {
        changing.lock();
        try {
            RaftServer.Division division = server.getDivision(request.getRaftGroupId());
            return server.setConfigurationAsync(
                    division.getInfo().isLeader()
                            ? MembershipChange.of(request, division.getRaftConf())
                            : request); // Ratis answers who leads
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            changing.unlock();
        }
    }

    private Path snapshots() throws IOException {
        return server.getDivision(RaftGroupId.valueOf(admission.identity().clusterId()))
                .getRaftStorage()
                .getStorageDir()
                .getStateMachineDir()
                .toPath();
    }

    private static CompletableFuture<byte[]> done(byte[] body) {
        return CompletableFuture.completedFuture(body);
    }

    private static CompletableFuture<byte[]> reply(CompletableFuture<RaftClientReply> reply) {
        return reply.thenApply(
                result -> ClientProtoUtils.toRaftClientReplyProto(result).toByteArray());
    }

    /**
     * Acknowledges entries when they are on the disk, and only if the leader that sent them is
     * still the leader as far as this node knows. Ratis by itself also acknowledges entries that it
     * got before as soon as their write has begun, and entries of a leader that has been replaced
     * meanwhile.
     */
    private CompletableFuture<byte[]> append(AppendEntriesRequestProto request) throws IOException {
        if (request.getEntriesCount() == 0) {
            return begin(request).thenApply(AppendEntriesReplyProto::toByteArray);
        }
        boolean afterUnwritten;
        long number;
        CompletableFuture<AppendEntriesReplyProto> reply;
        appending.lock();
        try {
            afterUnwritten = !writing.isEmpty();
            reply = begin(request);
            number = ++lastWriting;
            writing.add(number);
        } finally {
            appending.unlock();
        }
        return reply.whenComplete((_, _) -> writing.remove(number))
                .thenApply(
                        result -> {
                            if (result.getResult() == AppendResult.SUCCESS) {
                                requireWritten(request, result.getMatchIndex(), afterUnwritten);
                                hardState.acknowledge(
                                        result.getMatchIndex(), request.getLeaderTerm());
                            }
                            return result.toByteArray();
                        });
    }

    /** Records the vote, which Ratis has persisted when it returns the reply. */
    private RequestVoteReplyProto vote(RequestVoteRequestProto request) throws IOException {
        hardState.observeTerm(request.getCandidateTerm());
        RequestVoteReplyProto reply = server.requestVote(request);
        recordVote(request);
        return reply;
    }

    private void recordVote(RequestVoteRequestProto request) throws IOException {
        if (request.getPreVote()) {
            return;
        }
        RatisMetadataFiles.recordVote(
                division(request.getServerRequest()).getRaftStorage(), hardState);
    }

    private RaftServer.Division division(AppendEntriesRequestProto request) {
        try {
            return division(request.getServerRequest());
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    private RaftServer.Division division(RaftRpcRequestProto request) throws IOException {
        return server.getDivision(ProtoUtils.toRaftGroupId(request.getRaftGroupId()));
    }

    /**
     * Installs a part of a snapshot. With the last one Ratis drops entries that were to be written
     * before it, and never completes them.
     */
    private InstallSnapshotReplyProto install(InstallSnapshotRequestProto request)
            throws IOException {
        hardState.observeTerm(request.getLeaderTerm());
        InstallSnapshotReplyProto reply = server.installSnapshot(request);
        if (reply.getResult() == InstallSnapshotResult.SUCCESS
                && request.getSnapshotChunk().getDone()) {
            forgetWriting();
            recordSnapshot(request);
        }
        return reply;
    }

    private void forgetWriting() {
        appending.lock();
        try {
            writing.clear();
        } finally {
            appending.unlock();
        }
    }

    /** Syncs the snapshot: Ratis has written it and renamed its directory, and synced neither. */
    private void recordSnapshot(InstallSnapshotRequestProto request) throws IOException {
        RaftStorageDirectory directory =
                division(request.getServerRequest()).getRaftStorage().getStorageDir();
        Path snapshots = directory.getStateMachineDir().toPath();
        try (Stream<Path> files = Files.list(snapshots)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                DurableFile.sync(file);
            }
        }
        DurableFile.syncFolder(snapshots);
        DurableFile.syncFolder(directory.getRoot().toPath());
        hardState.acknowledgeCommitted(request.getSnapshotChunk().getTermIndex().getIndex());
    }

    /**
     * Passes a request to Ratis, one at a time: Ratis checks the term and writes to the log in two
     * steps.
     */
    private CompletableFuture<AppendEntriesReplyProto> begin(AppendEntriesRequestProto request)
            throws IOException {
        appending.lock();
        try {
            hardState.observeTerm(request.getLeaderTerm());
            recordTruncation(request);
            return server.appendEntriesAsync(request);
        } finally {
            appending.unlock();
        }
    }

    /**
     * Records that Ratis will remove conflicting entries from the end of the log. It rejects
     * requests of leaders of earlier terms.
     */
    private void recordTruncation(AppendEntriesRequestProto request) throws IOException {
        if (request.getEntriesCount() == 0) {
            return;
        }
        hardState.receiveEntries(request.getLeaderTerm());
        if (request.getEntries(0).getIndex() > hardState.state().acknowledged()) {
            return;
        }
        RaftServer.Division division = division(request);
        if (request.getLeaderTerm() < division.getInfo().getCurrentTerm()) {
            return;
        }
        RaftLog log = division.getRaftLog();
        for (LogEntryProto entry : request.getEntriesList()) {
            TermIndex local = log.getTermIndex(entry.getIndex());
            if (local != null && local.getTerm() != entry.getTerm()) {
                hardState.truncate(entry.getIndex() - 1);
                return;
            }
        }
    }

    private void requireWritten(
            AppendEntriesRequestProto request, long index, boolean afterUnwritten) {
        RaftServer.Division division = division(request);
        if (afterUnwritten || division.getRaftLog().getFlushIndex() < index) {
            throw new IllegalStateException("entry " + index + " is not on the disk yet");
        }
        if (division.getInfo().getCurrentTerm() != request.getLeaderTerm()) {
            throw new IllegalStateException(
                    "the term has changed while entries were being appended: a newer leader or an"
                            + " election");
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        if (halted == null) {
            nodeRpcServer.close();
        }
        connections.values().forEach(Connections::close);
    }
}
