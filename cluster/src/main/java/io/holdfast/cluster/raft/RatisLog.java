package io.holdfast.cluster.raft;

import io.holdfast.cluster.Member;
import io.holdfast.cluster.driver.ReplicatedLog;
import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.EntryTime;
import io.holdfast.cluster.entry.LogEntry;

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
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

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
    private final int known;
    private final MemberChangeGate memberChanges = new MemberChangeGate();
    private final ProposalBatcher proposalBatcher;
    private volatile RaftServer.@Nullable Division division;

    private volatile @Nullable SocketRaftServerRpc rpc;

    /**
     * @param known the highest version of the cluster that this node knows
     */
    RatisLog(RaftGroupId groupId, boolean alone, int known, Supplier<EntryTime> leaderClock) {
        this.known = known;
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
    public Set<UUID> holdMembers() {
        RaftServer.Division local = division();
        if (local == null || !memberChanges.hold()) {
            return Set.of();
        }
        return RaftPeers.members(local.getRaftConf()).stream()
                .map(Member::dataId)
                .collect(Collectors.toSet());
    }

    @Override
    public void releaseMembers() {
        memberChanges.release();
    }

    /**
     * Returns what keeps changes of the member list apart from what {@link #holdMembers} is for.
     */
    MemberChangeGate memberChanges() {
        return memberChanges;
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
                proposalBatcher.add(EntryMessage.decode(entry, known), outcome);
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
     * Handles a proposal of another node. It is decoded once for all that follows on this node; a
     * malformed one must not stop other proposals.
     *
     * @param onRejected called if the entry is not committed as far as this node knows
     */
    void receive(byte[] entry, Runnable onRejected) {
        if (!isLeader()) {
            onRejected.run();
            return;
        }
        try {
            EntryMessage message = EntryMessage.decode(entry, known);
            if (message.entry() instanceof LogEntry.RaiseVersion) {
                // of a former leader, which cannot keep the member list from changing here
                onRejected.run();
                return;
            }
            proposalBatcher.add(
                    message,
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
