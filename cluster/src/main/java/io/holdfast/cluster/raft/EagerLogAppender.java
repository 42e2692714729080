package io.holdfast.cluster.raft;

import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppenderBase;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Comparator;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sends a follower the log: entries one request at a time, and heartbeats also while one is on its
 * way. A follower is told how far the log is decided as soon as it is, if nothing else is to be
 * sent: by themselves Ratis's leaders tell it with the next entry or heartbeat, and a client of
 * that follower would wait so long.
 */
final class EagerLogAppender extends LogAppenderBase {
    private static final Logger LOG = LoggerFactory.getLogger(EagerLogAppender.class);

    /** After a failure, entries are sent again so much later, and a snapshot. */
    private static final long RETRY_NANOS = 50_000_000L;

    private static final long SNAPSHOT_RETRY_NANOS = 500_000_000L;

    /** A follower that has other entries than we thought is not asked at full speed. */
    private static final long REST_NANOS = 10_000_000L;

    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final long NONE = -1;

    /** What is sent at once by whoever has it: it fits into the buffer of an idle connection. */
    private static final int FEW_ENTRIES = 4;

    private static final int FEW_BYTES = 64 * 1024;

    /** Who sends. */
    private final Lock sendLock = new ReentrantLock();

    private volatile @Nullable Thread thread;

    /** The call with the entries that are on their way. */
    private volatile long pending = NONE;

    private volatile long notBeforeNanos = System.nanoTime();

    /** How far the follower was told that the log is decided. */
    private volatile long sentCommitIndex = -1;

    EagerLogAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
        super(server, state, follower);
    }

    private SocketRaftServerRpc rpc() {
        return (SocketRaftServerRpc) getServerRpc();
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
        return pending != NONE;
    }

    /**
     * Whoever has something to send sends it, if that cannot take long: else our thread does.
     * Ratis's own way to wake it misses a call that comes just before it waits.
     */
    @Override
    public void notifyLogAppender() {
        if (hasWork() && !sendsHere()) {
            LockSupport.unpark(thread);
        }
    }

    private boolean sendsHere() {
        if (pending != NONE
                || getRaftLog().getNextIndex() - getFollower().getNextIndex() > FEW_ENTRIES
                || !rpc().isConnected(getFollowerId())
                || !isRunning()
                || getLeaderState().isFollowerBootstrapping(getFollower())
                || !sendLock.tryLock()) {
            return false;
        }
        try {
            return send(FEW_BYTES) && !hasWork(); // a heartbeat may have been due first
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
            SnapshotInfo snapshot = isFree() ? shouldInstallSnapshot() : null;
            boolean sent = snapshot == null ? send() : install(snapshot);
            if (!sent && isRunning()) {
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
                && rpc().isConnected(getFollowerId());
    }

    private void rest(long nanos) {
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

    /** Whether something was sent; not if it is more than that. */
    private boolean send(int mostBytes) throws RaftLogIOException {
        long decided = getRaftLog().getLastCommittedIndex();
        boolean free = isFree();
        boolean due = getHeartbeatWaitTimeMs() <= 0;
        if (!free && !due) {
            return false;
        }
        AppendEntriesRequestProto request =
                newAppendEntriesRequest(CallId.getAndIncrement(), !free);
        if (request == null && decided > sentCommitIndex) {
            sentCommitIndex = decided;
            rpc().sendCommitIndex(
                            getFollowerId(),
                            newAppendEntriesRequest(CallId.getAndIncrement(), true));
            return true;
        }
        if (request == null) {
            return false;
        }
        if (request.getEntriesCount() == 0 && !request.hasPreviousLog()) {
            // Ratis would take the first entry for decided, whichever the follower has there.
            request = request.toBuilder().setLeaderCommit(RaftLog.INVALID_LOG_INDEX).build();
        }
        boolean data = request.getEntriesCount() > 0;
        if (data && request.getSerializedSize() > mostBytes) {
            return false;
        }
        if (data) {
            pending = callId(request);
        }
        if (free) { // what a follower is told while an answer is due has no effect there
            sentCommitIndex = decided;
        }
        resetHeartbeatTrigger();
        Timestamp sent = Timestamp.currentTime();
        getFollower().updateLastRpcSendTime(!data);
        AppendEntriesRequestProto asked = request;
        rpc().append(getFollowerId(), asked)
                .whenComplete((reply, failure) -> answered(asked, sent, reply, failure));
        return true;
    }

    private void answered(
            AppendEntriesRequestProto request,
            Timestamp sent,
            @Nullable AppendEntriesReplyProto reply,
            @Nullable Throwable failure) {
        if (reply == null) {
            LOG.atDebug()
                    .setCause(failure)
                    .addKeyValue("to", getFollowerId())
                    .log("append to the follower failed; retrying");
            rest(RETRY_NANOS);
            sentCommitIndex = -1;
        }
        try {
            if (reply != null) {
                getFollower().updateLastRpcResponseTime();
                getFollower().updateLastRespondedAppendEntriesSendTime(sent);
                boolean _ = getFollower().updateCommitIndex(reply.getFollowerCommit());
                take(request, reply);
                getLeaderState().onAppendEntriesReply(this, reply);
            }
        } finally {
            if (callId(request) == pending) {
                pending = NONE;
            }
        }
        notifyLogAppender();
    }

    private static long callId(AppendEntriesRequestProto request) {
        return request.getServerRequest().getCallId();
    }

    private void take(AppendEntriesRequestProto request, AppendEntriesReplyProto reply) {
        FollowerInfo follower = getFollower();
        switch (reply.getResult()) {
            case SUCCESS -> {
                // That a heartbeat fits says nothing of the follower's disk.
                if (request.getEntriesCount() > 0) {
                    follower.updateNextIndex(reply.getNextIndex());
                    if (follower.updateMatchIndex(reply.getNextIndex() - 1)) {
                        getLeaderState().onFollowerSuccessAppendEntries(follower);
                    }
                }
            }
            case NOT_LEADER -> {
                rest(RETRY_NANOS);
                boolean _ = onFollowerTerm(reply.getTerm());
            }
            case INCONSISTENCY -> {
                rest(REST_NANOS);
                if (reply.getNextIndex() <= follower.getMatchIndex()) {
                    LOG.atWarn()
                            .addKeyValue("node", follower.getId())
                            .addKeyValue("has", reply.getNextIndex() - 1)
                            .addKeyValue("had", follower.getMatchIndex())
                            .log(
                                    "the log of the follower is shorter than it has acknowledged;"
                                            + " sending it again");
                }
                follower.setNextIndex(reply.getNextIndex());
            }
            default ->
                    LOG.atDebug()
                            .addKeyValue("reply", reply.getResult())
                            .log("unexpected append reply");
        }
    }

    /** Whether it was sent. */
    private boolean install(SnapshotInfo snapshot) throws InterruptedIOException {
        InstallSnapshotReplyProto reply = null;
        try {
            for (InstallSnapshotRequestProto request :
                    newInstallSnapshotRequests(UUID.randomUUID().toString(), snapshot)) {
                getFollower().updateLastRpcSendTime(false);
                reply = rpc().installSnapshot(request);
                getFollower().updateLastRpcResponseTime();
                if (reply.getResult() != InstallSnapshotResult.SUCCESS) {
                    break;
                }
            }
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            LOG.atDebug()
                    .setCause(e)
                    .addKeyValue("to", getFollowerId())
                    .log("could not send a snapshot; retrying");
            reply = null;
        }
        if (reply == null) {
            rest(SNAPSHOT_RETRY_NANOS);
            return false;
        }
        switch (reply.getResult()) {
            case SUCCESS, ALREADY_INSTALLED -> {
                getFollower().setSnapshotIndex(snapshot.getTermIndex().getIndex());
                getFollower().setAttemptedToInstallSnapshot();
                getLeaderState().onFollowerSuccessAppendEntries(getFollower());
            }
            case SNAPSHOT_UNAVAILABLE, SNAPSHOT_EXPIRED ->
                    getFollower().setAttemptedToInstallSnapshot();
            case NOT_LEADER -> {
                rest(RETRY_NANOS);
                boolean _ = onFollowerTerm(reply.getTerm());
            }
            default -> {
                rest(SNAPSHOT_RETRY_NANOS);
                return false;
            }
        }
        return true;
    }
}
