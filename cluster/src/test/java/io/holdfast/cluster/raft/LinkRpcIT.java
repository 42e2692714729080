package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.link.Sockets;

import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

@DisplayName("What nodes say to each other")
@Timeout(120)
class LinkRpcIT {
    private static final RaftPeerId OTHER = RaftPeerId.valueOf("n2");

    private final AtomicLong written = new AtomicLong();
    private final AtomicLong term = new AtomicLong(1);
    private final Queue<CompletableFuture<AppendEntriesReplyProto>> replies =
            new ConcurrentLinkedQueue<>();
    private final List<AppendEntriesRequestProto> appended = new CopyOnWriteArrayList<>();
    private final List<byte[]> proposals = new CopyOnWriteArrayList<>();
    private final List<Runnable> refusals = new CopyOnWriteArrayList<>();
    private LinkRpc one;
    private LinkRpc other;

    @BeforeEach
    void connect() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Sockets sockets = new Sockets(null);
        one =
                new LinkRpc(
                        server(),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        sockets,
                        (_, _) -> {});
        other =
                new LinkRpc(
                        server(),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                        sockets,
                        (entry, refused) -> {
                            proposals.add(entry);
                            refusals.add(refused);
                        });
        other.start();
        one.addRaftPeers(
                List.of(
                        RaftPeer.newBuilder()
                                .setId(OTHER)
                                .setAddress("127.0.0.1:" + port)
                                .build()));
        assertThatThrownBy(() -> one.append(OTHER, request()).get())
                .hasMessageContaining("not connected yet");
        await().until(() -> one.isConnected(OTHER));
    }

    @AfterEach
    void end() throws IOException {
        one.close();
        other.close();
    }

    /** A server that says that it has whatever it is sent, and whose disk is as far as we say. */
    private RaftServer server() {
        RaftLog log = stub(RaftLog.class, Map.of("getFlushIndex", _ -> written.get()));
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
                        "appendEntriesAsync",
                        words -> {
                            var request = (AppendEntriesRequestProto) words[0];
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
                        (_, method, words) -> {
                            var known = methods.get(method.getName());
                            if (known == null) {
                                throw new UnsupportedOperationException(method.getName());
                            }
                            return known.apply(words);
                        }));
    }

    private static AppendEntriesRequestProto request(long... indices) {
        var request =
                AppendEntriesRequestProto.newBuilder()
                        .setLeaderTerm(1)
                        .setServerRequest(
                                RaftRpcRequestProto.newBuilder()
                                        .setReplyId(OTHER.toByteString())
                                        .setRaftGroupId(
                                                ProtoUtils.toRaftGroupIdProtoBuilder(
                                                        RaftGroupId.randomId())));
        for (long index : indices) {
            request.addEntries(LogEntryProto.newBuilder().setTerm(1).setIndex(index));
        }
        return request.build();
    }

    @Test
    void entries_count_when_they_are_on_the_disk() throws Exception {
        written.set(7);
        assertThat(one.append(OTHER, request(6, 7)).get().getNextIndex()).isEqualTo(8);
    }

    @Test
    void entries_that_are_only_on_their_way_to_the_disk_do_not_count() throws Exception {
        written.set(6);
        assertThatThrownBy(() -> one.append(OTHER, request(6, 7)).get())
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("entry 7 is not on the disk yet");
        written.set(7);
        assertThat(one.append(OTHER, request(6, 7)).get().getNextIndex()).isEqualTo(8);
    }

    @Test
    void a_heartbeat_needs_no_disk() throws Exception {
        written.set(-1);
        assertThat(one.append(OTHER, request()).get().getResult()).isEqualTo(AppendResult.SUCCESS);
    }

    @Test
    void a_notice_is_heard_where_there_is_a_connection() throws Exception {
        one.tell(OTHER, request());
        await().until(() -> appended.size() == 1);
        one.reconnect(OTHER);
        one.tell(OTHER, request());
        assertThat(one.isConnected(OTHER)).isFalse();
        assertThatThrownBy(() -> one.append(OTHER, request()).get()).isNotNull();
        await().until(() -> one.isConnected(OTHER));
        one.append(OTHER, request()).get();
        assertThat(appended).hasSize(2);
    }

    @Test
    void entries_do_not_count_while_others_before_them_are_being_written() throws Exception {
        written.set(7); // of entries that the first request replaces
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
    void entries_of_a_leader_that_another_has_followed_do_not_count() {
        written.set(7);
        term.set(2); // it voted while they were written
        assertThatThrownBy(() -> one.append(OTHER, request(6, 7)).get())
                .hasMessageContaining("another leads");
    }

    @Test
    void a_proposal_is_answered_only_if_it_does_not_get_in() {
        AtomicInteger refused = new AtomicInteger();
        one.propose(OTHER, new byte[] {1}, refused::incrementAndGet);
        await().until(() -> proposals.size() == 1);
        one.propose(OTHER, new byte[] {2}, refused::incrementAndGet);
        await().until(() -> proposals.size() == 2);
        refusals.getLast().run();
        await().until(() -> refused.get() == 1);
    }

    @Test
    void a_node_whose_place_nobody_knows_is_not_called() {
        AppendEntriesRequestProto request =
                request().toBuilder()
                        .setServerRequest(
                                RaftRpcRequestProto.newBuilder()
                                        .setReplyId(RaftPeerId.valueOf("n9").toByteString()))
                        .build();
        assertThatThrownBy(() -> one.appendEntries(request))
                .hasStackTraceContaining("nobody knows where it is");
    }
}
