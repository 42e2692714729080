package io.holdfast.cluster.raft;

import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.protocol.RaftPeerId;

import java.util.concurrent.CompletableFuture;

/**
 * How a leader reaches its followers: over one connection for entries and snapshots, and another
 * for heartbeats and commit indices. A method may block while the socket takes what is sent.
 */
interface FollowerTransport {
    /** Whether there is a connection for entries and snapshots. */
    boolean isConnected(RaftPeerId to);

    /** Sends entries; fails at once without a connection. */
    CompletableFuture<AppendEntriesReplyProto> append(
            RaftPeerId to, AppendEntriesRequestProto request);

    /** Sends a part of a snapshot. */
    CompletableFuture<InstallSnapshotReplyProto> sendChunk(
            RaftPeerId to, InstallSnapshotRequestProto request);

    /**
     * Sends a heartbeat, and opens both connections in the background if there are none.
     *
     * @param loading whether the follower may be loading a snapshot, and responds late
     */
    CompletableFuture<AppendEntriesReplyProto> sendHeartbeat(
            RaftPeerId to, AppendEntriesRequestProto request, boolean loading);

    /** Sends the commit index; there is no response. Returns whether there is a connection. */
    boolean sendCommitIndex(RaftPeerId to, AppendEntriesRequestProto heartbeat);
}
