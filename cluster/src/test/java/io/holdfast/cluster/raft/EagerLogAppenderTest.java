package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.DivisionProperties;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.StateMachine;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** A leader whose log has entries up to 99, and a follower; the test sends the replies. */
@DisplayName("The appender of a leader")
@Timeout(60)
class EagerLogAppenderTest {
    private static final RaftPeerId OTHER = RaftPeerId.valueOf("n2");
    private static final Object NOTHING = new Object();

    /** A request in flight. */
    private record Sent(
            AppendEntriesRequestProto request, CompletableFuture<AppendEntriesReplyProto> reply) {
        void succeed(long nextIndex) {
            reply(AppendResult.SUCCESS, nextIndex);
        }

        void reply(AppendResult result, long nextIndex) {
            reply.complete(
                    AppendEntriesReplyProto.newBuilder()
                            .setResult(result)
                            .setNextIndex(nextIndex)
                            .build());
        }
    }

    private final List<Sent> appends = new CopyOnWriteArrayList<>();
    private final List<Sent> heartbeats = new CopyOnWriteArrayList<>();
    private final List<AppendEntriesRequestProto> commits = new CopyOnWriteArrayList<>();

    private final AtomicBoolean leading = new AtomicBoolean(true);
    private final AtomicLong logEnd = new AtomicLong(100);
    private final AtomicLong commitIndex = new AtomicLong(90);
    private final AtomicLong nextIndex = new AtomicLong(100);
    private final AtomicLong matchIndex = new AtomicLong(-1);

    /** The size of each entry. */
    private int entryBytes = 100;

    /** The time of two heartbeats, in milliseconds. */
    private int rpcTimeout = 400;

    @TempDir private Path folder;
    private final AtomicLong logStart = new AtomicLong();
    private volatile @Nullable SnapshotInfo snapshot;
    private final List<CompletableFuture<InstallSnapshotReplyProto>> chunks =
            new CopyOnWriteArrayList<>();

    private final AtomicBoolean failing = new AtomicBoolean();

    /** Whether the appender has just read the previous entry of what it may send. */
    private final AtomicBoolean previousRead = new AtomicBoolean();

    /** Runs once when the appender has read the end of the log, and nothing is left to send. */
    private final AtomicReference<@Nullable Runnable> afterLook = new AtomicReference<>();

    private final EagerLogAppender appender =
            new EagerLogAppender(division(), leaderState(), follower());

    private static <T> T stub(
            Class<T> type, Map<String, Function<Object[], Object>> methods, Class<?>... others) {
        Class<?>[] types = new Class<?>[others.length + 1];
        types[0] = type;
        System.arraycopy(others, 0, types, 1, others.length);
        return type.cast(
                Proxy.newProxyInstance(
                        EagerLogAppenderTest.class.getClassLoader(),
                        types,
                        (_, method, arguments) -> {
                            var known = methods.get(method.getName());
                            if (known == null) {
                                throw new UnsupportedOperationException(method.getName());
                            }
                            Object result = known.apply(arguments);
                            return result == NOTHING ? null : result;
                        }));
    }

    private LogEntryProto entry(long index) {
        return LogEntryProto.newBuilder()
                .setTerm(1)
                .setIndex(index)
                .setStateMachineLogEntry(
                        StateMachineLogEntryProto.newBuilder()
                                .setLogData(ByteString.copyFrom(new byte[entryBytes])))
                .build();
    }

    private RaftServer.Division division() {
        RaftLog log =
                stub(
                        RaftLog.class,
                        Map.of(
                                "isOpened", _ -> true,
                                "getStartIndex", _ -> logStart.get(),
                                "getNextIndex", _ -> logEnd(),
                                "getLastCommittedIndex", _ -> commitIndex.get(),
                                "get", arguments -> entry((long) arguments[0]),
                                "getTermIndex", this::entryBefore));
        var transport =
                stub(
                        RaftServerRpc.class,
                        Map.of(
                                "isConnected", _ -> true,
                                "append", this::appended,
                                "sendChunk", this::chunkSent,
                                "sendHeartbeat", a -> sent(heartbeats, a),
                                "sendCommitIndex",
                                        a -> commits.add((AppendEntriesRequestProto) a[1])),
                        FollowerTransport.class);
        RaftServer server =
                stub(
                        RaftServer.class,
                        Map.of(
                                "getProperties", _ -> new RaftProperties(),
                                "getServerRpc", _ -> transport));
        DivisionInfo info =
                stub(
                        DivisionInfo.class,
                        Map.of(
                                "isAlive", _ -> true,
                                "isLeader", _ -> leading.get(),
                                "getCurrentTerm", _ -> 1L));
        DivisionProperties properties =
                stub(DivisionProperties.class, Map.of("minRpcTimeoutMs", _ -> rpcTimeout));
        StateMachineStorage storage =
                stub(StateMachineStorage.class, Map.of("getSnapshotDir", _ -> folder.toFile()));
        StateMachine stateMachine =
                stub(
                        StateMachine.class,
                        Map.of(
                                "getLatestSnapshot",
                                this::latestSnapshot,
                                "getStateMachineStorage",
                                _ -> storage));
        RaftConfiguration configuration =
                stub(
                        RaftConfiguration.class,
                        Map.of(
                                "getCurrentPeers", _ -> List.of(),
                                "getPreviousPeers", _ -> List.of(),
                                "getLogEntryIndex", _ -> 0L));
        return stub(
                RaftServer.Division.class,
                Map.of(
                        "getRaftConf", _ -> configuration,
                        "getMemberId",
                                _ -> RaftGroupMemberId.valueOf(OTHER, RaftGroupId.emptyGroupId()),
                        "getRaftServer", _ -> server,
                        "getRaftLog", _ -> log,
                        "getInfo", _ -> info,
                        "properties", _ -> properties,
                        "getStateMachine", _ -> stateMachine,
                        "getThreadGroup", _ -> new ThreadGroup("test")));
    }

    private Object appended(Object[] arguments) {
        if (failing.get()) {
            throw new IllegalStateException("no memory");
        }
        return sent(appends, arguments);
    }

    private Object logEnd() {
        long end = logEnd.get();
        Runnable next =
                previousRead.getAndSet(false) && !commits.isEmpty()
                        ? afterLook.getAndSet(null)
                        : null;
        if (next != null) {
            next.run();
        }
        return end;
    }

    private Object entryBefore(Object[] arguments) {
        previousRead.set(true);
        return TermIndex.valueOf(1, (long) arguments[0]);
    }

    private Object latestSnapshot(Object[] arguments) {
        previousRead.set(false);
        SnapshotInfo known = snapshot;
        return known == null ? NOTHING : known;
    }

    private Object chunkSent(Object[] arguments) {
        var reply = new CompletableFuture<InstallSnapshotReplyProto>();
        chunks.add(reply);
        return reply;
    }

    private static Object sent(List<Sent> to, Object[] arguments) {
        Sent sent = new Sent((AppendEntriesRequestProto) arguments[1], new CompletableFuture<>());
        to.add(sent);
        return sent.reply;
    }

    private LeaderState leaderState() {
        return stub(
                LeaderState.class,
                Map.of(
                        "newAppendEntriesRequestProto",
                        a -> request((List<?>) a[1], (TermIndex) a[2], (long) a[3]),
                        "isFollowerBootstrapping",
                        _ -> false,
                        "checkHealth",
                        _ -> NOTHING,
                        "onFollowerSuccessAppendEntries",
                        _ -> NOTHING,
                        "onAppendEntriesReply",
                        _ -> NOTHING));
    }

    private AppendEntriesRequestProto request(List<?> entries, TermIndex previous, long callId) {
        var request =
                AppendEntriesRequestProto.newBuilder()
                        .setServerRequest(RaftRpcRequestProto.newBuilder().setCallId(callId))
                        .setLeaderTerm(1)
                        .setLeaderCommit(commitIndex.get());
        entries.forEach(entry -> request.addEntries((LogEntryProto) entry));
        if (previous != null) {
            request.setPreviousLog(previous.toProto());
        }
        return request.build();
    }

    private FollowerInfo follower() {
        Map<String, Timestamp> times = new ConcurrentHashMap<>();
        Map<String, Function<Object[], Object>> methods = new HashMap<>();
        for (String time :
                List.of(
                        "LastRpcResponseTime",
                        "LastRpcSendTime",
                        "LastHeartbeatSendTime",
                        "LastRespondedAppendEntriesSendTime")) {
            times.put(time, Timestamp.currentTime());
            methods.put("get" + time, _ -> times.get(time));
        }
        methods.put("updateLastRpcResponseTime", _ -> set(times, "LastRpcResponseTime"));
        methods.put("updateLastRespondedAppendEntriesSendTime", _ -> NOTHING);
        methods.put(
                "updateLastRpcSendTime",
                a -> (boolean) a[0] ? set(times, "LastHeartbeatSendTime") : NOTHING);
        methods.put("getId", _ -> OTHER);
        methods.put("getName", _ -> "n2");
        methods.put("getNextIndex", _ -> nextIndex.get());
        methods.put("getMatchIndex", _ -> matchIndex.get());
        methods.put("getSnapshotIndex", _ -> 0L);
        methods.put("setAttemptedToInstallSnapshot", _ -> NOTHING);
        methods.put(
                "setNextIndex",
                a -> {
                    nextIndex.set((long) a[0]);
                    return NOTHING;
                });
        methods.put(
                "updateNextIndex",
                a -> {
                    nextIndex.accumulateAndGet((long) a[0], Math::max);
                    return NOTHING;
                });
        methods.put(
                "updateMatchIndex",
                a -> (long) a[0] > matchIndex.getAndAccumulate((long) a[0], Math::max));
        methods.put("updateCommitIndex", _ -> true);
        return stub(FollowerInfo.class, methods);
    }

    private static Object set(Map<String, Timestamp> times, String name) {
        times.put(name, Timestamp.currentTime());
        return NOTHING;
    }

    @AfterEach
    void end() {
        leading.set(false);
    }

    private void append() {
        logEnd.incrementAndGet();
        appender.notifyLogAppender();
    }

    /** Starts the appender's own thread. */
    private void startFrom(long next) {
        nextIndex.set(next);
        appender.start();
    }

    private static List<Long> indices(Sent sent) {
        return sent.request.getEntriesList().stream().map(LogEntryProto::getIndex).toList();
    }

    @Test
    void one_request_with_entries_is_in_flight() {
        append();
        append();
        assertThat(appends).hasSize(1);
        append();
        appends.getFirst().succeed(101);
        assertThat(appends).hasSize(2);
        assertThat(indices(appends.getLast())).containsExactly(101L, 102L);
    }

    @Test
    void a_follower_that_is_far_behind_gets_a_limited_amount_at_a_time() {
        entryBytes = 60 * 1024;
        startFrom(1);
        for (int i = 0; i < 3; i++) {
            int before = i;
            await().until(() -> appends.size() > before);
            long next = 1 + 4 * i;
            assertThat(indices(appends.get(i))).containsExactly(next, next + 1, next + 2, next + 3);
            assertThat(appends.get(i).request.getSerializedSize()).isLessThan(256 * 1024);
            appends.get(i).succeed(next + 4);
        }
    }

    @Test
    void heartbeats_are_sent_while_entries_are_in_flight_and_verify_nothing() {
        startFrom(1);
        await().until(() -> heartbeats.size() >= 3);
        assertThat(appends).hasSize(1);
        for (Sent heartbeat : heartbeats) {
            assertThat(heartbeat.request.hasPreviousLog()).isFalse();
            assertThat(heartbeat.request.getLeaderCommit()).isEqualTo(RaftLog.INVALID_LOG_INDEX);
        }
    }

    @Test
    void a_request_with_entries_carries_no_commit_index_beyond_them() {
        entryBytes = 60 * 1024;
        startFrom(1);
        await().until(() -> appends.size() == 1);
        assertThat(appends.getFirst().request.getLeaderCommit()).isEqualTo(4);
    }

    @Test
    void a_heartbeat_of_an_idle_appender_carries_the_commit_index_that_it_verifies() {
        commitIndex.set(99);
        startFrom(100);
        await().until(() -> !heartbeats.isEmpty());
        assertThat(heartbeats.getFirst().request.getPreviousLog().getIndex()).isEqualTo(99);
        assertThat(heartbeats.getFirst().request.getLeaderCommit()).isEqualTo(99);
        assertThat(commits.getFirst().getLeaderCommit()).isEqualTo(99);
        assertThat(appends).isEmpty();
    }

    @Test
    void a_follower_that_lacks_the_previous_entry_of_a_heartbeat_gets_earlier_entries() {
        startFrom(100);
        await().until(() -> !heartbeats.isEmpty());
        heartbeats.getFirst().reply(AppendResult.INCONSISTENCY, 40);
        await().until(() -> !appends.isEmpty());
        assertThat(appends.getFirst().request.getEntries(0).getIndex()).isEqualTo(40);
    }

    @Test
    void an_inconsistency_of_a_heartbeat_is_ignored_if_entries_were_sent_since() {
        startFrom(100);
        await().until(() -> !heartbeats.isEmpty());
        append();
        await().until(() -> !appends.isEmpty());
        heartbeats.getFirst().reply(AppendResult.INCONSISTENCY, 40);
        assertThat(nextIndex).hasValue(100);
        appends.getFirst().succeed(101);
        assertThat(nextIndex).hasValue(101);
    }

    @Test
    void an_inconsistency_of_a_heartbeat_is_ignored_after_an_acknowledgement() {
        startFrom(100);
        await().until(() -> !heartbeats.isEmpty());
        append();
        await().until(() -> !appends.isEmpty());
        appends.getFirst().succeed(101);
        heartbeats.getFirst().reply(AppendResult.INCONSISTENCY, 40);
        assertThat(nextIndex).hasValue(101);
    }

    @Test
    void an_inconsistency_is_ignored_after_entries_moved_the_follower_to_where_it_was() {
        startFrom(100);
        await().until(() -> heartbeats.size() >= 2);
        heartbeats.getFirst().reply(AppendResult.INCONSISTENCY, 40);
        await().until(() -> !appends.isEmpty());
        appends.getFirst().succeed(100);
        heartbeats.get(1).reply(AppendResult.INCONSISTENCY, 40);
        assertThat(nextIndex).hasValue(100);
    }

    @Test
    void the_success_of_a_heartbeat_moves_no_index() {
        startFrom(100);
        await().until(() -> !heartbeats.isEmpty());
        heartbeats.getFirst().succeed(200);
        assertThat(nextIndex).hasValue(100);
        assertThat(matchIndex).hasValue(-1);
    }

    @Test
    void entries_are_sent_again_after_a_failure() {
        append();
        appends.getFirst().reply.completeExceptionally(new IOException("closed"));
        appender.start();
        await().until(() -> appends.size() == 2);
        assertThat(indices(appends.getLast())).containsExactly(100L);
    }

    @Test
    void entries_that_could_not_be_sent_are_sent_again() {
        failing.set(true);
        append();
        failing.set(false);
        appender.start();
        await().until(() -> appends.size() == 1);
        assertThat(indices(appends.getFirst())).containsExactly(100L);
    }

    @ParameterizedTest
    @EnumSource(
            value = InstallSnapshotResult.class,
            names = {"SNAPSHOT_EXPIRED", "SNAPSHOT_UNAVAILABLE"})
    void a_snapshot_that_a_follower_cannot_use_is_sent_again_after_a_delay(
            InstallSnapshotResult result) throws IOException {
        Path file = Files.write(folder.resolve("snapshot.1_60"), new byte[10]);
        snapshot = new SingleFileSnapshotInfo(new FileInfo(file, null), TermIndex.valueOf(1, 60));
        logStart.set(50);
        startFrom(1);
        await().until(() -> chunks.size() == 1);
        long repliedNanos = System.nanoTime();
        chunks.getFirst()
                .complete(InstallSnapshotReplyProto.newBuilder().setResult(result).build());
        await().until(() -> chunks.size() == 2);
        assertThat(System.nanoTime() - repliedNanos).isGreaterThan(500_000_000L);
    }

    @Test
    void an_entry_that_comes_while_the_thread_looks_is_not_left_until_the_next_heartbeat() {
        rpcTimeout = 1_000_000_000;
        commitIndex.set(99);
        afterLook.set(
                () -> {
                    CompletableFuture.runAsync(this::append).join();
                    LockSupport.parkNanos(1); // as a lock of the log does
                });
        startFrom(100);
        await().until(() -> appends.size() == 1);
        assertThat(indices(appends.getFirst())).containsExactly(100L);
    }
}
