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
 * Replicates the log to a follower: one request with entries is in flight at a time, and heartbeats
 * are also sent while it is. A new commit index is sent at once if there is nothing else to send.
 * Ratis's own appender sends it with the next entry or heartbeat, and clients of that follower
 * would wait as long.
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

    /** Held while sending. */
    private final Lock sendLock = new ReentrantLock();

    private volatile @Nullable Thread thread;

    /** The id of the call with entries that is in flight. */
    private volatile long pending = NONE;

    private volatile long notBeforeNanos = System.nanoTime();

    /** The last commit index that was sent to the follower. */
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
     * Sends on the caller's thread if that cannot take long; otherwise wakes the appender's thread.
     * Ratis's own way of waking it misses a call that comes just before it waits.
     */
    @Override
    public void notifyLogAppender() {
        if (hasWork() && !trySendHere()) {
            LockSupport.unpark(thread);
        }
    }

    private boolean trySendHere() {
        if (pending != NONE
                || getRaftLog().getNextIndex() - getFollower().getNextIndex() > FEW_ENTRIES
                || !rpc().isConnected(getFollowerId())
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
     * Sends entries, the commit index or a heartbeat. Returns whether something was sent; entries
     * of more than the limit are not.
     */
    private boolean send(int maxBytes) throws RaftLogIOException {
        long commitIndex = getRaftLog().getLastCommittedIndex();
        boolean free = isFree();
        boolean due = getHeartbeatWaitTimeMs() <= 0;
        if (!free && !due) {
            return false;
        }
        AppendEntriesRequestProto request =
                newAppendEntriesRequest(CallId.getAndIncrement(), !free);
        if (request == null && commitIndex > sentCommitIndex) {
            sentCommitIndex = commitIndex;
            rpc().sendCommitIndex(
                            getFollowerId(),
                            newAppendEntriesRequest(CallId.getAndIncrement(), true));
            return true;
        }
        if (request == null) {
            return false;
        }
        if (request.getEntriesCount() == 0 && !request.hasPreviousLog()) {
            // Ratis would take the first entry as committed, whichever the follower has there.
            request = request.toBuilder().setLeaderCommit(RaftLog.INVALID_LOG_INDEX).build();
        }
        boolean data = request.getEntriesCount() > 0;
        if (data && request.getSerializedSize() > maxBytes) {
            return false;
        }
        if (data) {
            pending = callId(request);
        }
        if (free) { // while entries are in flight, the follower ignores a commit index
            sentCommitIndex = commitIndex;
        }
        resetHeartbeatTrigger();
        Timestamp sent = Timestamp.currentTime();
        getFollower().updateLastRpcSendTime(!data);
        AppendEntriesRequestProto appendRequest = request;
        rpc().append(getFollowerId(), appendRequest)
                .whenComplete((reply, failure) -> onReply(appendRequest, sent, reply, failure));
        return true;
    }

    private void onReply(
            AppendEntriesRequestProto request,
            Timestamp sent,
            @Nullable AppendEntriesReplyProto reply,
            @Nullable Throwable failure) {
        if (reply == null) {
            LOG.atDebug()
                    .setCause(failure)
                    .addKeyValue("to", getFollowerId())
                    .log("append to the follower failed; retrying");
            delay(RETRY_NANOS);
            sentCommitIndex = -1;
        }
        try {
            if (reply != null) {
                getFollower().updateLastRpcResponseTime();
                getFollower().updateLastRespondedAppendEntriesSendTime(sent);
                boolean _ = getFollower().updateCommitIndex(reply.getFollowerCommit());
                process(request, reply);
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

    private void process(AppendEntriesRequestProto request, AppendEntriesReplyProto reply) {
        FollowerInfo follower = getFollower();
        switch (reply.getResult()) {
            case SUCCESS -> {
                // Success of a heartbeat does not show that entries are on the follower's disk.
                if (request.getEntriesCount() > 0) {
                    follower.updateNextIndex(reply.getNextIndex());
                    if (follower.updateMatchIndex(reply.getNextIndex() - 1)) {
                        getLeaderState().onFollowerSuccessAppendEntries(follower);
                    }
                }
            }
            case NOT_LEADER -> {
                delay(RETRY_NANOS);
                boolean _ = onFollowerTerm(reply.getTerm());
            }
            case INCONSISTENCY -> {
                delay(INCONSISTENCY_DELAY_NANOS);
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

    /** Returns whether the snapshot was sent. */
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
            delay(SNAPSHOT_RETRY_NANOS);
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
                delay(RETRY_NANOS);
                boolean _ = onFollowerTerm(reply.getTerm());
            }
            default -> {
                delay(SNAPSHOT_RETRY_NANOS);
                return false;
            }
        }
        return true;
    }
}
