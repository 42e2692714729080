package io.holdfast.cluster.raft;

import io.holdfast.cluster.driver.ReplicatedLog;
import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.EntryTime;

import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Proposes entries to a Ratis server: directly if this node is the leader, otherwise through the
 * leader.
 */
final class RatisLog implements ReplicatedLog {
    private static final Logger LOG = LoggerFactory.getLogger(RatisLog.class);

    private final RaftGroupId groupId;
    private final ClientId clientId = ClientId.randomId();
    private final AtomicLong lastCall = new AtomicLong();
    private final Supplier<EntryTime> leaderClock;
    private final boolean startedAlone;
    private final ProposalBatcher proposalBatcher;
    private volatile RaftServer.@Nullable Division division;

    private volatile @Nullable SocketRaftServerRpc rpc;

    RatisLog(RaftGroupId groupId, boolean alone, Supplier<EntryTime> leaderClock) {
        this.leaderClock = leaderClock;
        this.startedAlone = alone;
        this.proposalBatcher = new ProposalBatcher(this::submit, this::isAlone, System::nanoTime);
        this.groupId = groupId;
    }

    /** Sets the transport to other nodes. */
    void setRpc(SocketRaftServerRpc created) {
        rpc = created;
    }

    /** Attaches a server that has been started. */
    void start(RaftServer started) throws IOException {
        division = started.getDivision(groupId);
    }

    /** Returns the index of the last entry on this node's disk; -1 while the node is starting. */
    long flushed() {
        RaftServer.Division local = division();
        return local == null ? -1 : local.getRaftLog().getFlushIndex();
    }

    RaftServer.@Nullable Division division() {
        return division;
    }

    @Override
    public boolean isLeader() {
        RaftServer.Division local = division();
        return local != null && local.getInfo().isLeaderReady();
    }

    @Override
    public long dueNanos() {
        return leaderClock.get().dueNanos();
    }

    @Override
    public boolean isAlone() {
        RaftServer.Division local = division();
        return startedAlone // nodes may have been added since
                && local != null
                && local.getRaftConf().getCurrentPeers().size() == 1;
    }

    @Override
    public long term() {
        RaftServer.Division local = division();
        return local == null ? -1 : local.getInfo().getCurrentTerm();
    }

    @Override
    public void propose(byte[] entry, Consumer<Boolean> outcome) {
        if (isLeader()) {
            try {
                append(entry, outcome);
            } catch (EncodingException e) {
                LOG.atError().setCause(e).log("dropped a malformed proposal of this node");
                outcome.accept(false);
            }
            return;
        }
        RaftPeerId leader = remoteLeader();
        SocketRaftServerRpc transport = rpc;
        if (leader == null || transport == null) {
            outcome.accept(false);
        } else {
            transport.propose(leader, entry, () -> outcome.accept(false));
        }
    }

    private @Nullable RaftPeerId remoteLeader() {
        RaftServer.Division local = division();
        RaftPeerId leader = local == null ? null : local.getInfo().getLeaderId();
        return local == null || local.getId().equals(leader) ? null : leader;
    }

    @Override
    public void reconnectToLeader() {
        RaftPeerId leader = remoteLeader();
        SocketRaftServerRpc transport = rpc;
        if (leader != null && transport != null) {
            transport.reconnect(leader);
        }
    }

    /** Times out proposals. Called periodically. */
    void check() {
        proposalBatcher.check();
    }

    /**
     * Handles a proposal of another node.
     *
     * @param onRejected called if the entry is not committed as far as this node knows
     */
    void receive(byte[] entry, Runnable onRejected) {
        if (!isLeader()) {
            onRejected.run();
            return;
        }
        try {
            append(
                    entry,
                    committed -> {
                        if (!committed) {
                            onRejected.run();
                        }
                    });
        } catch (EncodingException e) {
            LOG.atDebug().setCause(e).log("dropped a malformed proposal from a peer");
            onRejected.run();
        }
    }

    /**
     * Decodes a proposal, once for all that follows on this node, and appends it. A malformed one
     * must not stop other proposals.
     */
    private void append(byte[] entry, Consumer<Boolean> outcome) throws EncodingException {
        proposalBatcher.add(EntryMessage.decode(entry), outcome);
    }

    CompletableFuture<RaftClientReply> submit(EntryMessage message) throws IOException {
        RaftServer.Division local = division();
        if (local == null || !(local instanceof RaftClientAsynchronousProtocol protocol)) {
            throw new IOException("not started");
        }
        RaftClientRequest request =
                RaftClientRequest.newBuilder()
                        .setClientId(clientId)
                        .setServerId(local.getId())
                        .setGroupId(groupId)
                        .setCallId(lastCall.incrementAndGet())
                        .setMessage(message)
                        .setType(RaftClientRequest.writeRequestType())
                        .build();
        return protocol.submitClientRequestAsync(request);
    }
}
