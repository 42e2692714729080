package io.holdfast.cluster.raft;

import io.holdfast.cluster.rpc.NodeRpcClient;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.driver.DurableFile;

import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.GroupInfoRequestProto;
import org.apache.ratis.proto.RaftProtos.GroupListRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftClientRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.SetConfigurationRequestProto;
import org.apache.ratis.proto.RaftProtos.SnapshotManagementRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.proto.RaftProtos.TransferLeadershipRequestProto;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** What a Ratis server says to others and is told by them. */
final class SocketRaftServerRpc implements RaftServerRpc {
    /** A peer that says nothing for so long is called anew. */
    private static final long TIMEOUT_MILLIS = 2000;

    /** A part of a snapshot is answered when it is on the disk. */
    private static final long SNAPSHOT_TIMEOUT_MILLIS = 120_000;

    private final RaftServer server;
    private final InetSocketAddress address;
    private final RpcSocketFactory rpcSocketFactory;
    private final HardStateFile hardState;
    private final BiConsumer<byte[], Runnable> proposed;
    private final Map<RaftPeerId, RaftPeer> peers = new ConcurrentHashMap<>();
    private final Map<RaftPeerId, NodeRpcClient> callers = new ConcurrentHashMap<>();

    /** Requests with entries that Ratis has not said to be written yet. */
    private final Set<Long> writing = ConcurrentHashMap.newKeySet();

    private final Lock appending = new ReentrantLock();

    /** Guarded by {@link #appending}. */
    private long lastWriting;

    private volatile @Nullable NodeRpcServer nodeRpcServer;
    private volatile boolean closed;

    /**
     * @param hardState written before other nodes get acknowledgements and votes
     * @param proposed takes what another node wants in the log, and what to do if it does not get
     *     in
     */
    SocketRaftServerRpc(
            RaftServer server,
            InetSocketAddress address,
            RpcSocketFactory rpcSocketFactory,
            HardStateFile hardState,
            BiConsumer<byte[], Runnable> proposed) {
        this.server = server;
        this.address = address;
        this.rpcSocketFactory = rpcSocketFactory;
        this.hardState = hardState;
        this.proposed = proposed;
    }

    @Override
    public RpcType getRpcType() {
        return new SocketRpcType();
    }

    @Override
    public void start() throws IOException {
        nodeRpcServer =
                new NodeRpcServer("holdfast-cluster-in", address, rpcSocketFactory, this::handle);
    }

    @Override
    public InetSocketAddress getInetSocketAddress() {
        return address;
    }

    @Override
    public void addRaftPeers(Collection<RaftPeer> known) {
        known.forEach(peer -> peers.put(peer.getId(), peer));
    }

    @Override
    public void handleException(RaftPeerId serverId, Exception e, boolean reconnect) {
        // a connection that does not work is left by itself
    }

    // ---- to others

    private NodeRpcClient caller(RaftPeerId id) {
        NodeRpcClient known = callers.get(id);
        return known != null ? known : callers.computeIfAbsent(id, this::newCaller);
    }

    private NodeRpcClient newCaller(RaftPeerId id) {
        NodeRpcClient made =
                new NodeRpcClient(
                        "holdfast-cluster-out",
                        () -> SocketRpcType.address(peers.get(id)),
                        rpcSocketFactory);
        if (closed) {
            made.close();
        }
        return made;
    }

    private byte[] await(RaftPeerId to, byte kind, byte[] body, long patienceMillis)
            throws IOException {
        try {
            return caller(to).call(kind, body, patienceMillis).get();
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
        AppendEntriesReplyProto reply =
                AppendEntriesReplyProto.parseFrom(
                        await(
                                id(request.getServerRequest().getReplyId()),
                                RpcMessageTypes.APPEND,
                                request.toByteArray(),
                                TIMEOUT_MILLIS));
        hardState.observeTerm(reply.getTerm());
        return reply;
    }

    CompletableFuture<AppendEntriesReplyProto> append(
            RaftPeerId to, AppendEntriesRequestProto request) {
        try {
            recordCommit(request);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        return caller(to)
                .callIfConnected(RpcMessageTypes.APPEND, request.toByteArray(), TIMEOUT_MILLIS)
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

    /** A leader counts its own log for what it commits. */
    private void recordCommit(AppendEntriesRequestProto request) {
        long commit = request.getLeaderCommit();
        if (commit > hardState.state().acknowledged()) {
            long flushed = division(request).getRaftLog().getFlushIndex();
            hardState.acknowledgeCommitted(Math.min(commit, flushed));
        }
    }

    /** Whether something can be sent to a node at once. */
    boolean isConnected(RaftPeerId to) {
        return caller(to).isConnected();
    }

    /** Says how far the log is decided; nobody answers. */
    void sendCommitIndex(RaftPeerId to, AppendEntriesRequestProto heartbeat) {
        recordCommit(heartbeat);
        caller(to).sendOneWay(RpcMessageTypes.HEARTBEAT, heartbeat.toByteArray());
    }

    @Override
    public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
        recordVote(request);
        RequestVoteReplyProto reply =
                RequestVoteReplyProto.parseFrom(
                        await(
                                id(request.getServerRequest().getReplyId()),
                                RpcMessageTypes.VOTE,
                                request.toByteArray(),
                                TIMEOUT_MILLIS));
        hardState.observeTerm(reply.getTerm());
        return reply;
    }

    @Override
    public StartLeaderElectionReplyProto startLeaderElection(
            StartLeaderElectionRequestProto request) throws IOException {
        return StartLeaderElectionReplyProto.parseFrom(
                await(
                        id(request.getServerRequest().getReplyId()),
                        RpcMessageTypes.ELECT,
                        request.toByteArray(),
                        TIMEOUT_MILLIS));
    }

    @Override
    public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
            throws IOException {
        InstallSnapshotReplyProto reply =
                InstallSnapshotReplyProto.parseFrom(
                        await(
                                id(request.getServerRequest().getReplyId()),
                                RpcMessageTypes.SNAPSHOT,
                                request.toByteArray(),
                                SNAPSHOT_TIMEOUT_MILLIS));
        hardState.observeTerm(reply.getTerm());
        return reply;
    }

    /**
     * Sends an entry to the leader.
     *
     * @param refused told if it is known that it did not get in
     */
    void propose(RaftPeerId to, byte[] entry, Runnable refused) {
        caller(to).sendOneWay(RpcMessageTypes.PROPOSE, entry, refused);
    }

    /** What was sent to a node got nowhere. */
    void reconnect(RaftPeerId to) {
        caller(to).reconnect();
    }

    /** Gives up connections that nothing comes from; to be called now and then. */
    void check() {
        callers.values().forEach(NodeRpcClient::check);
    }

    // ---- from others

    private @Nullable CompletableFuture<byte[]> handle(byte kind, byte[] body) throws IOException {
        return switch (kind) {
            case RpcMessageTypes.APPEND -> append(AppendEntriesRequestProto.parseFrom(body));
            case RpcMessageTypes.HEARTBEAT -> {
                var _ = begin(AppendEntriesRequestProto.parseFrom(body));
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
            case RpcMessageTypes.VOTE ->
                    done(vote(RequestVoteRequestProto.parseFrom(body)).toByteArray());
            case RpcMessageTypes.ELECT ->
                    done(
                            server.startLeaderElection(
                                            StartLeaderElectionRequestProto.parseFrom(body))
                                    .toByteArray());
            case RpcMessageTypes.SNAPSHOT ->
                    done(install(InstallSnapshotRequestProto.parseFrom(body)).toByteArray());
            case RpcMessageTypes.REQUEST ->
                    reply(
                            server.submitClientRequestAsync(
                                    ClientProtoUtils.toRaftClientRequest(
                                            RaftClientRequestProto.parseFrom(body))));
            case RpcMessageTypes.CONFIGURE ->
                    reply(
                            server.setConfigurationAsync(
                                    ClientProtoUtils.toSetConfigurationRequest(
                                            SetConfigurationRequestProto.parseFrom(body))));
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
            case RpcMessageTypes.GROUPS ->
                    server.getGroupListAsync(
                                    ClientProtoUtils.toGroupListRequest(
                                            GroupListRequestProto.parseFrom(body)))
                            .thenApply(
                                    found ->
                                            ClientProtoUtils.toGroupListReplyProto(found)
                                                    .toByteArray());
            case RpcMessageTypes.GROUP ->
                    server.getGroupInfoAsync(
                                    ClientProtoUtils.toGroupInfoRequest(
                                            GroupInfoRequestProto.parseFrom(body)))
                            .thenApply(
                                    found ->
                                            ClientProtoUtils.toGroupInfoReplyProto(found)
                                                    .toByteArray());
            default -> throw new IOException("unknown message type " + kind + " is");
        };
    }

    private static CompletableFuture<byte[]> done(byte[] body) {
        return CompletableFuture.completedFuture(body);
    }

    private static CompletableFuture<byte[]> reply(CompletableFuture<RaftClientReply> reply) {
        return reply.thenApply(
                answer -> ClientProtoUtils.toRaftClientReplyProto(answer).toByteArray());
    }

    /**
     * Ratis says that it has entries which it was sent before, as soon as they are on their way to
     * the disk, and those of a leader that it has left for another meanwhile. They count when they
     * are on the disk, and when the leader that sent them still leads as far as this node knows.
     */
    private CompletableFuture<byte[]> append(AppendEntriesRequestProto request) throws IOException {
        if (request.getEntriesCount() == 0) {
            return begin(request).thenApply(AppendEntriesReplyProto::toByteArray);
        }
        boolean after;
        long number;
        CompletableFuture<AppendEntriesReplyProto> reply;
        appending.lock();
        try {
            after = !writing.isEmpty();
            reply = begin(request);
            number = ++lastWriting;
            writing.add(number);
        } finally {
            appending.unlock();
        }
        return reply.whenComplete((_, _) -> writing.remove(number))
                .thenApply(
                        answer -> {
                            if (answer.getResult() == AppendResult.SUCCESS) {
                                requireWritten(request, answer.getMatchIndex(), after);
                                hardState.acknowledge(
                                        answer.getMatchIndex(), request.getLeaderTerm());
                            }
                            return answer.toByteArray();
                        });
    }

    /** Ratis has persisted the vote when it replies. */
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

    /** Ratis forgets what was to be written before a snapshot, and never says so. */
    private InstallSnapshotReplyProto install(InstallSnapshotRequestProto request)
            throws IOException {
        hardState.observeTerm(request.getLeaderTerm());
        try {
            InstallSnapshotReplyProto reply = server.installSnapshot(request);
            if (reply.getResult() == InstallSnapshotResult.SUCCESS
                    && request.getSnapshotChunk().getDone()) {
                recordSnapshot(request);
            }
            return reply;
        } finally {
            appending.lock();
            try {
                writing.clear();
            } finally {
                appending.unlock();
            }
        }
    }

    /** Ratis has written the snapshot and renamed its directory, and synced neither. */
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

    /** One at a time: Ratis looks at the term and writes to the log in two steps. */
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
     * Ratis removes entries from the end of the log that the leader has others for; what comes from
     * a leader of an earlier term it refuses.
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
            TermIndex here = log.getTermIndex(entry.getIndex());
            if (here != null && here.getTerm() != entry.getTerm()) {
                hardState.truncate(entry.getIndex() - 1);
                return;
            }
        }
    }

    private void requireWritten(AppendEntriesRequestProto request, long index, boolean after) {
        RaftServer.Division division = division(request);
        if (after || division.getRaftLog().getFlushIndex() < index) {
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
        NodeRpcServer listening = nodeRpcServer;
        if (listening != null) {
            listening.close();
        }
        callers.values().forEach(NodeRpcClient::close);
    }
}
