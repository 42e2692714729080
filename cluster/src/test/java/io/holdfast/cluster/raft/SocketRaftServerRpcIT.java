package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.KnownVersions;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.check.StateHashMessage;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RefusedConnections;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.cluster.rpc.TestService;

import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.SnapshotChunkProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.ProtoUtils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;

@DisplayName("The RPC between Raft servers")
@Timeout(120)
class SocketRaftServerRpcIT {
    private static final Member N1 =
            new Member(NodeAddress.parse("n1=127.0.0.1:1"), new UUID(1, 1));
    private static final Member N2 =
            new Member(NodeAddress.parse("n2=127.0.0.1:2"), new UUID(2, 2));
    private static final RaftPeerId OTHER = RaftPeers.id(N2);
    private static final Object NOTHING = new Object();

    private final AtomicLong written = new AtomicLong();
    private final AtomicLong term = new AtomicLong(1);
    private final Queue<CompletableFuture<AppendEntriesReplyProto>> replies =
            new ConcurrentLinkedQueue<>();
    private final List<AppendEntriesRequestProto> appended = new CopyOnWriteArrayList<>();
    private final List<byte[]> proposals = new CopyOnWriteArrayList<>();
    private final List<Runnable> refusals = new CopyOnWriteArrayList<>();
    private final RefusedConnections refused = new RefusedConnections();

    /** The log of {@link #other}, with its member list; null for the list of the start. */
    private final AtomicReference<RaftServer.@Nullable Division> members = new AtomicReference<>();

    /** The same of {@link #one}. */
    private final AtomicReference<RaftServer.@Nullable Division> membersOfOne =
            new AtomicReference<>();

    /** How the next parts of a snapshot end. */
    private final Queue<InstallSnapshotReplyProto> installed = new ConcurrentLinkedQueue<>();

    /** What {@link #members} is from the start of the server. */
    private RaftServer.@Nullable Division membersAtStart;

    @TempDir private Path folder;
    private HardStateFile hardState;
    private HardStateFile leaderState;
    private SocketRaftServerRpc one;
    private SocketRaftServerRpc other;

    @BeforeEach
    void connect() throws Exception {
        hardState = HardStateFile.open(folder.resolve("other"), false, _ -> {});
        leaderState = HardStateFile.open(folder.resolve("one"), false, _ -> {});
        one = rpc(N1, leaderState, (_, _) -> {});
        startOther();
        assertThatThrownBy(() -> heartbeat().get()).hasMessageContaining("not connected yet");
        await().until(() -> one.isConnected(OTHER));
        await().ignoreExceptions().until(() -> heartbeat().get() != null);
        appended.clear();
    }

    private void startOther() throws IOException {
        other =
                rpc(
                        N2,
                        hardState,
                        (entry, onRejected) -> {
                            proposals.add(entry);
                            refusals.add(onRejected);
                        });
        other.start();
        int port = other.getInetSocketAddress().getPort();
        one.addRaftPeers(List.of(peer(port)));
    }

    private static RaftPeer peer(int port) {
        return RaftPeer.newBuilder().setId(OTHER).setAddress("127.0.0.1:" + port).build();
    }

    private SocketRaftServerRpc rpc(
            Member self, HardStateFile state, BiConsumer<byte[], Runnable> proposed)
            throws IOException {
        RpcSocketFactory rpcSocketFactory = new RpcSocketFactory(null);
        NodeRpcServer listening =
                new NodeRpcServer(
                        "test",
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        rpcSocketFactory,
                        TestService.access(),
                        new TestService((_, _) -> null));
        PeerAdmission admission =
                new PeerAdmission(
                        new NodeIdentity("test", new UUID(5, 5), self, List.of(N1, N2)),
                        KnownVersions.CURRENT,
                        () -> ClusterVersion.FIRST,
                        () -> self.equals(N2) ? members.get() : membersOfOne.get(),
                        refused);
        return new SocketRaftServerRpc(
                server(),
                rpcSocketFactory,
                new SocketRpcType.ServerContext() {
                    @Override
                    public NodeRpcServer nodeRpcServer() {
                        return listening;
                    }

                    @Override
                    public void started(RaftServer server) {
                        members.set(membersAtStart);
                    }

                    @Override
                    public PeerAdmission admission() {
                        return admission;
                    }

                    @Override
                    public byte[] status() {
                        return new byte[0];
                    }

                    @Override
                    public void proposed(byte[] entry, Runnable onRejected) {
                        proposed.accept(entry, onRejected);
                    }

                    @Override
                    public void received(UUID from, StateHashMessage message) {}

                    @Override
                    public CompletableFuture<byte[]> check() {
                        return CompletableFuture.completedFuture(new byte[0]);
                    }

                    @Override
                    public HardStateFile hardState() {
                        return state;
                    }

                    @Override
                    public MemberChangeGate memberChanges() {
                        return new MemberChangeGate();
                    }

                    @Override
                    public void add(SocketRaftServerRpc created) {}
                });
    }

    @AfterEach
    void end() throws IOException {
        one.close();
        other.close();
    }

    /**
     * A server that acknowledges all entries; the test controls the index up to which its disk has
     * them.
     */
    private RaftServer server() {
        RaftLog log =
                stub(
                        RaftLog.class,
                        Map.of(
                                "getFlushIndex",
                                _ -> written.get(),
                                "getTermIndex",
                                arguments -> TermIndex.valueOf(1, (long) arguments[0])));
        DivisionInfo info = stub(DivisionInfo.class, Map.of("getCurrentTerm", _ -> term.get()));
        RaftServer.Division division =
                stub(
                        RaftServer.Division.class,
                        Map.of("getRaftLog", _ -> log, "getInfo", _ -> info));
        return stub(
                RaftServer.class,
                Map.of(
                        "getDivision",
                        _ -> division,
                        "installSnapshot",
                        _ -> installed.remove(),
                        "appendEntriesAsync",
                        arguments -> {
                            var request = (AppendEntriesRequestProto) arguments[0];
                            appended.add(request);
                            CompletableFuture<AppendEntriesReplyProto> reply = replies.poll();
                            return reply != null
                                    ? reply
                                    : CompletableFuture.completedFuture(has(request));
                        }));
    }

    private static AppendEntriesReplyProto has(AppendEntriesRequestProto request) {
        long last =
                request.getEntriesCount() == 0
                        ? -1
                        : request.getEntries(request.getEntriesCount() - 1).getIndex();
        return AppendEntriesReplyProto.newBuilder()
                .setServerReply(RaftRpcReplyProto.newBuilder().setSuccess(true))
                .setResult(AppendResult.SUCCESS)
                .setMatchIndex(last)
                .setNextIndex(last + 1)
                .build();
    }

    private static <T> T stub(Class<T> type, Map<String, Function<Object[], Object>> methods) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            var known = methods.get(method.getName());
                            if (known == null) {
                                throw new UnsupportedOperationException(method.getName());
                            }
                            Object result = known.apply(arguments);
                            return result == NOTHING ? null : result;
                        }));
    }

    private CompletableFuture<AppendEntriesReplyProto> heartbeat() {
        return one.sendHeartbeat(OTHER, request(), false);
    }

    private static AppendEntriesRequestProto request(long... indices) {
        return requestOfTerm(1, indices);
    }

    private static AppendEntriesRequestProto requestOfTerm(long term, long... indices) {
        var request =
                AppendEntriesRequestProto.newBuilder()
                        .setLeaderTerm(term)
                        .setServerRequest(
                                RaftRpcRequestProto.newBuilder()
                                        .setRequestorId(RaftPeers.id(N1).toByteString())
                                        .setReplyId(OTHER.toByteString())
                                        .setRaftGroupId(
                                                ProtoUtils.toRaftGroupIdProtoBuilder(
                                                        RaftGroupId.randomId())));
        for (long index : indices) {
            request.addEntries(LogEntryProto.newBuilder().setTerm(term).setIndex(index));
        }
        return request.build();
    }

    @Test
    void entries_are_acknowledged_when_they_are_on_the_disk() throws Exception {
        written.set(7);
        assertThat(one.append(OTHER, request(6, 7)).get().getNextIndex()).isEqualTo(8);
    }

    @Test
    void entries_that_are_not_on_the_disk_yet_are_not_acknowledged() throws Exception {
        written.set(6);
        assertThatThrownBy(() -> one.append(OTHER, request(6, 7)).get())
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("entry 7 is not on the disk yet");
        written.set(7);
        assertThat(one.append(OTHER, request(6, 7)).get().getNextIndex()).isEqualTo(8);
    }

    @Test
    void the_acknowledged_index_is_recorded_before_the_acknowledgement() throws Exception {
        written.set(7);
        one.append(OTHER, request(6, 7)).get();
        assertThat(hardState.state().acknowledged()).isEqualTo(7);
        assertThat(hardState.state().highestTerm()).isEqualTo(1);
        assertThatThrownBy(() -> one.append(OTHER, request(8)).get()).isNotNull();
        assertThat(hardState.state().acknowledged()).isEqualTo(7);
    }

    @Test
    void a_leader_records_the_commit_index_before_a_follower_learns_it() throws Exception {
        written.set(5);
        one.append(OTHER, request().toBuilder().setLeaderCommit(4).build()).get();
        assertThat(leaderState.state().acknowledged()).isEqualTo(4);
        one.sendCommitIndex(OTHER, request().toBuilder().setLeaderCommit(7).build());
        assertThat(leaderState.state().acknowledged()).isEqualTo(5);
    }

    @Test
    void entries_that_another_leader_replaces_are_no_longer_acknowledged() throws Exception {
        written.set(9);
        one.append(OTHER, request(6, 7, 8, 9)).get();
        CompletableFuture<AppendEntriesReplyProto> slow = new CompletableFuture<>();
        replies.add(slow);
        var replaced = one.append(OTHER, requestOfTerm(2, 8));
        await().until(() -> appended.size() == 2);
        assertThat(hardState.state().acknowledged()).isEqualTo(7);
        term.set(2);
        slow.complete(has(request(8)));
        replaced.get();
        assertThat(hardState.state().acknowledged()).isEqualTo(8);
    }

    @Test
    void entries_of_a_leader_of_an_earlier_term_replace_none() throws Exception {
        written.set(9);
        term.set(2);
        one.append(OTHER, requestOfTerm(2, 8, 9)).get();
        assertThat(hardState.state().acknowledged()).isEqualTo(9);
        assertThatThrownBy(() -> one.append(OTHER, requestOfTerm(0, 8)).get()).isNotNull();
        assertThat(hardState.state().acknowledged()).isEqualTo(9);
    }

    @Test
    void a_heartbeat_is_acknowledged_without_the_disk() throws Exception {
        written.set(-1);
        assertThat(heartbeat().get().getResult()).isEqualTo(AppendResult.SUCCESS);
    }

    @Test
    void a_heartbeat_does_not_wait_for_entries_that_are_being_written() throws Exception {
        CompletableFuture<AppendEntriesReplyProto> slow = new CompletableFuture<>();
        replies.add(slow);
        written.set(7);
        var entries = one.append(OTHER, request(6, 7));
        await().until(() -> appended.size() == 1);
        assertThat(heartbeat().get().getResult()).isEqualTo(AppendResult.SUCCESS);
        assertThat(entries).isNotDone();
        slow.complete(has(request(6, 7)));
        assertThat(entries.get().getNextIndex()).isEqualTo(8);
    }

    @Test
    void heartbeats_continue_while_the_connection_for_entries_is_replaced() throws Exception {
        one.reconnect(OTHER);
        assertThat(one.isConnected(OTHER)).isFalse();
        assertThat(heartbeat().get().getResult()).isEqualTo(AppendResult.SUCCESS);
        await().until(() -> one.isConnected(OTHER));
    }

    @Test
    void a_commit_index_is_delivered_over_an_open_connection() throws Exception {
        assertThat(one.sendCommitIndex(OTHER, request())).isTrue();
        await().until(() -> appended.size() == 1);
        other.close();
        await().until(() -> !one.sendCommitIndex(OTHER, request()));
    }

    @Test
    void entries_are_not_acknowledged_while_earlier_ones_are_being_written() throws Exception {
        written.set(7); // by entries that the first request replaces
        CompletableFuture<AppendEntriesReplyProto> slow = new CompletableFuture<>();
        replies.add(slow);
        CompletableFuture<AppendEntriesReplyProto> first = one.append(OTHER, request(6, 7));
        await().until(() -> appended.size() == 1);
        assertThatThrownBy(() -> one.append(OTHER, request(6, 7)).get())
                .hasMessageContaining("not on the disk yet");
        slow.complete(has(request(6, 7)));
        assertThat(first.get().getNextIndex()).isEqualTo(8);
        assertThat(one.append(OTHER, request(6, 7)).get().getNextIndex()).isEqualTo(8);
    }

    @Test
    void entries_of_a_deposed_leader_are_not_acknowledged() {
        written.set(7);
        term.set(2); // the node voted while they were written
        assertThatThrownBy(() -> one.append(OTHER, request(6, 7)).get())
                .hasMessageContaining("the term has changed");
    }

    @Test
    void a_proposal_gets_a_response_only_if_it_is_rejected() {
        AtomicInteger refused = new AtomicInteger();
        one.propose(OTHER, new byte[] {1}, refused::incrementAndGet);
        await().until(() -> proposals.size() == 1);
        one.propose(OTHER, new byte[] {2}, refused::incrementAndGet);
        await().until(() -> proposals.size() == 2);
        refusals.getLast().run();
        await().until(() -> refused.get() == 1);
    }

    @Test
    void a_node_without_a_known_address_is_not_called() {
        AppendEntriesRequestProto request =
                request().toBuilder()
                        .setServerRequest(
                                RaftRpcRequestProto.newBuilder()
                                        .setReplyId(RaftPeerId.valueOf("n9").toByteString()))
                        .build();
        assertThatThrownBy(() -> one.appendEntries(request))
                .hasStackTraceContaining("the peer has no known address");
    }

    @Test
    void entries_that_are_being_written_count_until_the_last_part_of_a_snapshot_is_installed()
            throws Exception {
        written.set(7);
        replies.add(new CompletableFuture<>()); // never completed, as after a snapshot
        var _ = one.append(OTHER, request(6, 7));
        await().until(() -> appended.size() == 1);
        install(InstallSnapshotResult.SUCCESS, false);
        install(InstallSnapshotResult.SNAPSHOT_EXPIRED, true);
        assertThatThrownBy(() -> one.append(OTHER, request(6, 7)).get())
                .hasMessageContaining("not on the disk yet");
        // the files of the snapshot cannot be synced, since there are none
        assertThatThrownBy(() -> install(InstallSnapshotResult.SUCCESS, true)).isNotNull();
        assertThat(one.append(OTHER, request(6, 7)).get().getNextIndex()).isEqualTo(8);
    }

    private void install(InstallSnapshotResult result, boolean last) throws Exception {
        installed.add(InstallSnapshotReplyProto.newBuilder().setResult(result).build());
        one.sendChunk(
                        OTHER,
                        InstallSnapshotRequestProto.newBuilder()
                                .setServerRequest(request().getServerRequest())
                                .setSnapshotChunk(SnapshotChunkProto.newBuilder().setDone(last))
                                .build())
                .get();
    }

    @Test
    void a_message_in_the_name_of_another_node_is_refused() {
        AppendEntriesRequestProto.Builder request = request(6).toBuilder();
        request.getServerRequestBuilder().setRequestorId(OTHER.toByteString());
        assertThatThrownBy(() -> one.append(OTHER, request.build()).get())
                .hasMessageContaining("in the name of another node");
        assertThat(appended).isEmpty();
    }

    @Test
    void connections_to_a_node_that_is_no_longer_a_member_are_closed() throws Exception {
        one.check();
        assertThat(one.isConnected(OTHER)).isTrue();
        membersOfOne.set(only(N1));
        one.check();
        assertThat(one.isConnected(OTHER)).isFalse();
        assertThatThrownBy(() -> one.requestVote(vote()))
                .hasStackTraceContaining("the peer has no known address");

        int port = other.getInetSocketAddress().getPort();
        one.addRaftPeers(List.of(peer(port))); // it is to become a member again
        await().until(
                        () -> {
                            one.check();
                            return heartbeatSucceeds() && one.isConnected(OTHER);
                        });
        one.check();
        assertThat(one.isConnected(OTHER)).isTrue();
    }

    private static RequestVoteRequestProto vote() {
        return RequestVoteRequestProto.newBuilder()
                .setPreVote(true)
                .setServerRequest(request().getServerRequest())
                .build();
    }

    private boolean heartbeatSucceeds() throws InterruptedException {
        try {
            return heartbeat().get() != null;
        } catch (ExecutionException e) {
            return false;
        }
    }

    @Test
    void connections_from_a_node_that_is_no_longer_a_member_are_closed() {
        other.check();
        assertThat(one.isConnected(OTHER)).isTrue();
        members.set(withoutOne());
        other.check();
        await().until(() -> !one.isConnected(OTHER));
        assertThat(appended).isEmpty();
    }

    private static RaftServer.Division withoutOne() {
        return only(N2);
    }

    /** Returns a log whose member list has one node. */
    private static RaftServer.Division only(Member member) {
        RaftConfiguration list =
                stub(
                        RaftConfiguration.class,
                        Map.of(
                                "equals", arguments -> arguments[0] != null,
                                "getCurrentPeers", _ -> List.of(RaftPeers.peer(member)),
                                "getPreviousPeers", _ -> List.of(),
                                "getPeer", _ -> NOTHING,
                                "getLogEntryIndex", _ -> 5L));
        RaftLog log =
                stub(
                        RaftLog.class,
                        Map.of(
                                "getLastCommittedIndex",
                                _ -> 5L,
                                "isOpened",
                                _ -> true,
                                "getTermIndex",
                                _ -> TermIndex.valueOf(1, 5)));
        return stub(
                RaftServer.Division.class,
                Map.of("getRaftConf", _ -> list, "getRaftLog", _ -> log));
    }

    @Test
    void a_message_of_a_node_that_is_no_longer_a_member_is_refused() {
        members.set(withoutOne());
        assertThatThrownBy(() -> heartbeat().get()).hasMessageContaining("is not a member");
        assertThat(appended).isEmpty();
        assertThat(refused.count()).isPositive();
    }

    @Test
    void the_member_list_in_the_log_counts_from_the_start() throws Exception {
        other.close();
        membersAtStart = withoutOne();
        startOther();
        await().until(() -> heartbeat().isCompletedExceptionally() && refused.count() > 0);
        assertThat(one.isConnected(OTHER)).isFalse();
        assertThat(appended).isEmpty();
    }
}
