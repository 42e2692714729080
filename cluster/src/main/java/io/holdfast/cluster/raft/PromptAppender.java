package io.holdfast.cluster.raft;

import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.jspecify.annotations.Nullable;

/**
 * Talks to a follower, and tells it how far the log is decided as soon as that can be told: when
 * nothing else is to be sent and everything that was sent is answered. What a follower is told
 * while an answer is due has no effect there.
 */
final class PromptAppender extends GrpcLogAppender {
    /** How far the follower was told that the log is decided. */
    private long told = -1;

    PromptAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
        super(server, state, follower);
    }

    @Override
    public @Nullable AppendEntriesRequestProto newAppendEntriesRequest(
            long callId, boolean heartbeat) throws RaftLogIOException {
        long decided = getRaftLog().getLastCommittedIndex();
        AppendEntriesRequestProto request = super.newAppendEntriesRequest(callId, heartbeat);
        if (request == null && decided > told && !hasPendingDataRequests()) {
            request = super.newAppendEntriesRequest(callId, true);
        }
        if (request != null && (request.getEntriesCount() > 0 || !hasPendingDataRequests())) {
            told = decided;
        }
        return request;
    }
}
