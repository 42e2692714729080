package io.holdfast.cluster.raft;

import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppenderBase;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Replicates the log to a follower. Of entries or a snapshot, one request is in flight at a time,
 * and its size is limited: a heartbeat then does not wait long on a slow link. Heartbeats have a
 * connection of their own and may overtake it. A new commit index is sent at once if there is
 * nothing else to send: Ratis's own appender sends it with the next entry or heartbeat, and clients
 * of that follower would wait as long.
 */
final class EagerLogAppender extends LogAppenderBase {
    private static final Logger LOG = LoggerFactory.getLogger(EagerLogAppender.class);

    /** The delay before entries are sent again after a failure. */
    private static final long RETRY_NANOS = 50_000_000L;

    /** The delay before a snapshot is sent again after a failure. */
    private static final long SNAPSHOT_RETRY_NANOS = 500_000_000L;

    /**
     * The delay after an inconsistent reply: the search for the last matching entry does not run at
     * full speed.
     */
    private static final long INCONSISTENCY_DELAY_NANOS = 10_000_000L;

    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final long NONE = -1;

    /**
     * The maximum of what is sent on the caller's thread: it fits into the buffer of an idle
     * connection.
     */
    private static final int FEW_ENTRIES = 4;

    private static final int FEW_BYTES = 64 * 1024;

    /** Held while sending what does not block. */
    private final Lock sendLock = new ReentrantLock();

    private volatile @Nullable Thread thread;

    /** Whether the thread is to look again: while it looks, a lock may use up an unpark. */
    private volatile boolean woken;

    /** The number of requests with entries or a part of a snapshot; guarded by sendLock. */
    private long dataRequests;

    /** The id of the request with entries or a part of a snapshot that is in flight. */
    private volatile long pending = NONE;

    /** The snapshot that is being sent. Set under {@link #sendLock} while nothing is pending. */
    private volatile @Nullable SnapshotTransfer transfer;

    private volatile long notBeforeNanos = System.nanoTime();

    /** The last commit index that was sent to the follower. */
    private volatile long sentCommitIndex = -1;

    EagerLogAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
        super(server, state, follower);
    }

    /** A snapshot that is sent in parts, one after the other. */
    private record SnapshotTransfer(
            SnapshotInfo snapshot, Iterator<InstallSnapshotRequestProto> parts) {}

    private FollowerTransport transport() {
        return (FollowerTransport) getServerRpc();
    }

    @Override
    public long getCallId() {
        return CallId.get();
    }

    @Override
    public Comparator<Long> getCallIdComparator() {
        return CallId.getComparator();
    }

    @Override
    public boolean hasPendingDataRequests() {
        return pending != NONE || transfer != null;
    }

    /**
     * Sends on the caller's thread if that cannot take long; otherwise wakes the appender's thread.
     * Ratis's own way of waking it misses a call that comes just before it waits.
     */
    @Override
    public void notifyLogAppender() {
        if (hasWork() && !trySendHere()) {
            wake();
        }
    }

    private void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    private boolean trySendHere() {
        if (hasPendingDataRequests()
                || getRaftLog().getNextIndex() - getFollower().getNextIndex() > FEW_ENTRIES
                || !transport().isConnected(getFollowerId())
                || !isRunning()
                || getLeaderState().isFollowerBootstrapping(getFollower())
                || !sendLock.tryLock()) {
            return false;
        }
        try {
            return send(FEW_BYTES) && !hasWork(); // perhaps only a due heartbeat was sent
        } catch (RaftLogIOException | RuntimeException e) {
            LOG.atDebug().setCause(e).log("append failed; the appender retries");
            return false;
        } finally {
            sendLock.unlock();
        }
    }

    private boolean hasWork() {
        return getHeartbeatWaitTimeMs() <= 0
                || (pending == NONE
                        && (hasAppendEntries()
                                || getRaftLog().getLastCommittedIndex() > sentCommitIndex));
    }

    @Override
    public void run() throws InterruptedException, IOException {
        thread = Thread.currentThread();
        while (isRunning()) {
            woken = false;
            if (!send() && isRunning() && !woken) {
                LockSupport.parkNanos(this, waitNanos());
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            getLeaderState().checkHealth(getFollower());
        }
    }

    /** Whether entries or a snapshot can be sent now. */
    private boolean isFree() {
        return pending == NONE
                && System.nanoTime() - notBeforeNanos >= 0
                && transport().isConnected(getFollowerId());
    }

    private void delay(long nanos) {
        notBeforeNanos = System.nanoTime() + nanos;
    }

    private long waitNanos() {
        long heartbeat = Math.max(1, getHeartbeatWaitTimeMs()) * NANOS_PER_MILLI;
        long retry = notBeforeNanos - System.nanoTime();
        return retry > 0 ? Math.min(heartbeat, retry) : heartbeat;
    }

    private boolean send() throws RaftLogIOException {
        sendLock.lock();
        try {
            return send(Integer.MAX_VALUE);
        } finally {
            sendLock.unlock();
        }
    }

    /**
     * Sends a heartbeat if it is due, and entries, a part of a snapshot or the commit index if
     * nothing is in flight. Returns whether something was sent.
     *
     * @param maxBytes more than this is not sent on the caller's thread, and snapshots are not
     */
    private boolean send(int maxBytes) throws RaftLogIOException {
        boolean sent = false;
        if (getHeartbeatWaitTimeMs() <= 0) {
            sendHeartbeat();
            sent = true;
        }
        if (!isFree()) {
            return sent;
        }
        boolean here = maxBytes < Integer.MAX_VALUE;
        if (!here && transfer == null) {
            SnapshotInfo snapshot = shouldInstallSnapshot();
            if (snapshot != null) {
                transfer =
                        new SnapshotTransfer(
                                snapshot,
                                newInstallSnapshotRequests(UUID.randomUUID().toString(), snapshot)
                                        .iterator());
            }
        }
        SnapshotTransfer sending = transfer;
        if (sending != null) {
            return !here && sendPart(sending);
        }
        long commitIndex = getRaftLog().getLastCommittedIndex();
        AppendEntriesRequestProto request = entries();
        if (request != null) {
            if (request.getSerializedSize() > maxBytes) {
                return sent;
            }
            sentCommitIndex = commitIndex;
            sendEntries(request);
            return true;
        }
        return (commitIndex > sentCommitIndex && sendCommitIndex(commitIndex)) || sent;
    }

    private AppendEntriesRequestProto request(
            List<LogEntryProto> entries, @Nullable TermIndex previous) {
        return AppendRequests.withVerifiedCommit(
                getLeaderState()
                        .newAppendEntriesRequestProto(
                                getFollower(), entries, previous, CallId.getAndIncrement()));
    }

    /** Returns a request with the next entries; null if the log has none that can be sent. */
    private @Nullable AppendEntriesRequestProto entries() throws RaftLogIOException {
        FollowerInfo follower = getFollower();
        long next = follower.getNextIndex();
        TermIndex previous = getPrevious(next);
        if (previous == null
                && next > RaftLog.LEAST_VALID_LOG_INDEX
                && next != follower.getSnapshotIndex() + 1) {
            return null; // the follower needs a snapshot
        }
        List<LogEntryProto> entries =
                AppendRequests.take(
                        getRaftLog()::get,
                        next,
                        getRaftLog().getNextIndex(),
                        RaftSettings.MAX_ENTRY_BYTES);
        return entries.isEmpty() ? null : request(entries, previous);
    }

    private void sendEntries(AppendEntriesRequestProto request) {
        pending = callId(request);
        dataRequests++;
        Timestamp sent = Timestamp.currentTime();
        getFollower().updateLastRpcSendTime(false);
        Supplier<CompletableFuture<AppendEntriesReplyProto>> sending =
                () -> transport().append(getFollowerId(), request);
        startSending(
                        request.getSerializedSize() <= FEW_BYTES
                                ? sending
                                : () -> inBackground(sending))
                .whenComplete((result, failure) -> onReply(sent, result, failure));
    }

    /** Whatever is thrown is a failure of the request, which would be in flight forever. */
    private static <T> CompletableFuture<T> startSending(Supplier<CompletableFuture<T>> sending) {
        try {
            return sending.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Sends what may fill the buffers of the connection: heartbeats must not wait for that. */
    private static <T> CompletableFuture<T> inBackground(Supplier<CompletableFuture<T>> sending) {
        return CompletableFuture.supplyAsync(sending, Thread::startVirtualThread)
                .thenCompose(Function.identity());
    }

    /**
     * Sends a heartbeat. While entries or a snapshot are in flight, which it may overtake, it names
     * no previous entry: it verifies nothing, and so carries no commit index.
     */
    private void sendHeartbeat() {
        boolean overtakes = hasPendingDataRequests();
        AppendEntriesRequestProto request =
                request(List.of(), overtakes ? null : getPrevious(getFollower().getNextIndex()));
        resetHeartbeatTrigger();
        Timestamp sent = Timestamp.currentTime();
        getFollower().updateLastRpcSendTime(true);
        long before = dataRequests;
        SnapshotTransfer sending = transfer;
        boolean loading = sending != null && !sending.parts.hasNext();
        transport()
                .sendHeartbeat(getFollowerId(), request, loading)
                .whenComplete(
                        (reply, failure) ->
                                onHeartbeatReply(request, before, sent, reply, failure));
    }

    /** Returns whether the commit index was sent. */
    private boolean sendCommitIndex(long commitIndex) {
        TermIndex previous = getPrevious(getFollower().getNextIndex());
        if (previous == null
                || !transport().sendCommitIndex(getFollowerId(), request(List.of(), previous))) {
            return false;
        }
        sentCommitIndex = commitIndex;
        return true;
    }

    private void onHeartbeatReply(
            AppendEntriesRequestProto request,
            long before,
            Timestamp sent,
            @Nullable AppendEntriesReplyProto reply,
            @Nullable Throwable failure) {
        if (reply == null) {
            logFailure(failure);
            sentCommitIndex = -1; // it may have been lost with the connection
            return;
        }
        onResponse(sent, reply);
        switch (reply.getResult()) {
            case NOT_LEADER -> {
                boolean _ = onFollowerTerm(reply.getTerm());
            }
            case INCONSISTENCY -> stepBack(request, before, reply);
            default -> {
                // success does not show that entries are on the follower's disk
            }
        }
        getLeaderState().onAppendEntriesReply(this, reply);
        notifyLogAppender();
    }

    /**
     * Moves to an earlier entry because the follower does not have the previous one of a heartbeat.
     * That is ignored if entries were sent since: their reply is newer.
     *
     * @param before the number of data requests before the heartbeat
     */
    private void stepBack(
            AppendEntriesRequestProto heartbeat, long before, AppendEntriesReplyProto reply) {
        if (!sendLock.tryLock()) {
            return; // the next heartbeat finds it too
        }
        try {
            if (!hasPendingDataRequests()
                    && before == dataRequests
                    && heartbeat.hasPreviousLog()
                    && heartbeat.getPreviousLog().getIndex() + 1 == getFollower().getNextIndex()) {
                inconsistent(reply);
            }
        } finally {
            sendLock.unlock();
        }
    }

    private void onResponse(Timestamp sent, AppendEntriesReplyProto reply) {
        FollowerInfo follower = getFollower();
        follower.updateLastRpcResponseTime();
        if (sent.compareTo(follower.getLastRespondedAppendEntriesSendTime()) > 0) {
            follower.updateLastRespondedAppendEntriesSendTime(sent);
        }
        boolean _ = follower.updateCommitIndex(reply.getFollowerCommit());
    }

    private void logFailure(@Nullable Throwable failure) {
        LOG.atDebug()
                .setCause(failure)
                .addKeyValue("to", getFollowerId())
                .log("a request to the follower failed; retrying");
    }

    private void onReply(
            Timestamp sent, @Nullable AppendEntriesReplyProto reply, @Nullable Throwable failure) {
        if (reply == null) {
            logFailure(failure);
            delay(RETRY_NANOS);
            sentCommitIndex = -1;
        }
        try {
            if (reply != null) {
                onResponse(sent, reply);
                process(reply);
                getLeaderState().onAppendEntriesReply(this, reply);
            }
        } finally {
            pending = NONE;
        }
        notifyLogAppender();
    }

    private static long callId(AppendEntriesRequestProto request) {
        return request.getServerRequest().getCallId();
    }

    private void process(AppendEntriesReplyProto reply) {
        FollowerInfo follower = getFollower();
        switch (reply.getResult()) {
            case SUCCESS -> {
                follower.updateNextIndex(reply.getNextIndex());
                if (follower.updateMatchIndex(reply.getNextIndex() - 1)) {
                    getLeaderState().onFollowerSuccessAppendEntries(follower);
                }
            }
            case NOT_LEADER -> {
                delay(RETRY_NANOS);
                boolean _ = onFollowerTerm(reply.getTerm());
            }
            case INCONSISTENCY -> inconsistent(reply);
            default ->
                    LOG.atDebug()
                            .addKeyValue("reply", reply.getResult())
                            .log("unexpected append reply");
        }
    }

    private void inconsistent(AppendEntriesReplyProto reply) {
        FollowerInfo follower = getFollower();
        delay(INCONSISTENCY_DELAY_NANOS);
        if (reply.getNextIndex() <= follower.getMatchIndex()) {
            LOG.atWarn()
                    .addKeyValue("node", RaftPeers.name(follower.getId()))
                    .addKeyValue("has", reply.getNextIndex() - 1)
                    .addKeyValue("had", follower.getMatchIndex())
                    .log(
                            "the log of the follower is shorter than it has acknowledged; sending"
                                    + " it again");
        }
        follower.setNextIndex(reply.getNextIndex());
    }

    /** Sends the next part of a snapshot. Returns whether there was one. */
    private boolean sendPart(SnapshotTransfer sending) {
        InstallSnapshotRequestProto part;
        try {
            part = sending.parts.next();
        } catch (RuntimeException e) {
            endTransfer(e);
            return false;
        }
        pending = CallId.getAndIncrement();
        dataRequests++;
        getFollower().updateLastRpcSendTime(false);
        startSending(() -> inBackground(() -> transport().sendChunk(getFollowerId(), part)))
                .whenComplete((reply, failure) -> onPartReply(sending, part, reply, failure));
        return true;
    }

    private void onPartReply(
            SnapshotTransfer sending,
            InstallSnapshotRequestProto part,
            @Nullable InstallSnapshotReplyProto reply,
            @Nullable Throwable failure) {
        try {
            if (reply == null) {
                endTransfer(failure);
            } else {
                getFollower().updateLastRpcResponseTime();
                process(sending, part.getSnapshotChunk().getDone(), reply);
            }
        } finally {
            pending = NONE;
        }
        wake();
    }

    private void endTransfer(@Nullable Throwable failure) {
        logFailure(failure);
        transfer = null;
        delay(SNAPSHOT_RETRY_NANOS);
    }

    private void process(SnapshotTransfer sending, boolean last, InstallSnapshotReplyProto reply) {
        FollowerInfo follower = getFollower();
        if (reply.getResult() == InstallSnapshotResult.SUCCESS && !last) {
            return;
        }
        switch (reply.getResult()) {
            case SUCCESS, ALREADY_INSTALLED -> {
                follower.setSnapshotIndex(sending.snapshot.getTermIndex().getIndex());
                follower.setAttemptedToInstallSnapshot();
                getLeaderState().onFollowerSuccessAppendEntries(follower);
            }
            case SNAPSHOT_UNAVAILABLE, SNAPSHOT_EXPIRED -> {
                follower.setAttemptedToInstallSnapshot();
                delay(SNAPSHOT_RETRY_NANOS);
            }
            case NOT_LEADER -> {
                delay(RETRY_NANOS);
                boolean _ = onFollowerTerm(reply.getTerm());
            }
            default -> delay(SNAPSHOT_RETRY_NANOS);
        }
        transfer = null;
    }
}
