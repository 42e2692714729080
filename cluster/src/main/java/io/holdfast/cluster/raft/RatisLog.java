package io.holdfast.cluster.raft;

import io.holdfast.cluster.driver.ReplicatedLog;
import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.entry.LogEntryEncoding;

import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The way into the log of a Ratis server: straight if it leads, else through the one that does. */
final class RatisLog implements ReplicatedLog {
    private static final Logger LOG = LoggerFactory.getLogger(RatisLog.class);

    /** What this node wants in; stints have numbers above it. */
    private static final long OWN = 0;

    private final RaftGroupId groupId;
    private final ClientId clientId = ClientId.randomId();
    private final AtomicLong lastCall = new AtomicLong();
    private final LongSupplier leaderClock;
    private final boolean startedAlone;
    private final ProposalBatcher proposalBatcher;
    private volatile RaftServer.@Nullable Division division;

    private volatile @Nullable SocketRaftServerRpc rpc;

    RatisLog(RaftGroupId groupId, boolean alone, LongSupplier leaderClock) {
        this.leaderClock = leaderClock;
        this.startedAlone = alone;
        this.proposalBatcher = new ProposalBatcher(this::submitHere, alone, System::nanoTime);
        this.groupId = groupId;
    }

    /** How it talks to other nodes. */
    void use(SocketRaftServerRpc made) {
        rpc = made;
    }

    /** Begins, with a server that has been started. */
    void begin(RaftServer started) throws IOException {
        division = started.getDivision(groupId);
    }

    /** The last entry that is on this node's disk; -1 while it is starting. */
    long flushed() {
        RaftServer.Division here = division();
        return here == null ? -1 : here.getRaftLog().getFlushIndex();
    }

    RaftServer.@Nullable Division division() {
        return division;
    }

    @Override
    public boolean isLeader() {
        RaftServer.Division here = division();
        return here != null && here.getInfo().isLeaderReady();
    }

    @Override
    public long clockNanos() {
        return leaderClock.getAsLong();
    }

    @Override
    public boolean isAlone() {
        RaftServer.Division here = division();
        return startedAlone // others may have been added since
                && here != null
                && here.getRaftConf().getCurrentPeers().size() == 1;
    }

    @Override
    public long term() {
        RaftServer.Division here = division();
        return here == null ? -1 : here.getInfo().getCurrentTerm();
    }

    @Override
    public void propose(byte[] entry, Consumer<Boolean> outcome) {
        if (isLeader()) {
            proposalBatcher.add(OWN, entry, outcome);
            return;
        }
        RaftPeerId leader = leaderElsewhere();
        SocketRaftServerRpc link = rpc;
        if (leader == null || link == null) {
            outcome.accept(false);
        } else {
            link.propose(leader, entry, () -> outcome.accept(false));
        }
    }

    private @Nullable RaftPeerId leaderElsewhere() {
        RaftServer.Division here = division();
        RaftPeerId now = here == null ? null : here.getInfo().getLeaderId();
        return here == null || here.getId().equals(now) ? null : now;
    }

    @Override
    public void reconnectToLeader() {
        RaftPeerId leader = leaderElsewhere();
        SocketRaftServerRpc link = rpc;
        if (leader != null && link != null) {
            link.reconnect(leader);
        }
    }

    /** To be called now and then. */
    void check() {
        proposalBatcher.check();
    }

    /** Another node wants an entry in. */
    void receive(byte[] entry, Runnable refused) {
        if (!isLeader()) {
            refused.run();
            return;
        }
        long source;
        try { // what cannot be read must not stop others
            source =
                    LogEntryEncoding.decode(entry) instanceof LogEntry.Batch batch
                            ? batch.incarnation()
                            : ProposalBatcher.NOBODY;
        } catch (EncodingException e) {
            LOG.atDebug().setCause(e).log("dropped a malformed proposal of a peer");
            refused.run();
            return;
        }
        proposalBatcher.add(
                source,
                entry,
                in -> {
                    if (!in) {
                        refused.run();
                    }
                });
    }

    private CompletableFuture<RaftClientReply> submitHere(byte[] entry) throws IOException {
        RaftServer.Division here = division();
        if (here == null || !(here instanceof RaftClientAsynchronousProtocol protocol)) {
            throw new IOException("not started");
        }
        RaftClientRequest request =
                RaftClientRequest.newBuilder()
                        .setClientId(clientId)
                        .setServerId(here.getId())
                        .setGroupId(groupId)
                        .setCallId(lastCall.incrementAndGet())
                        .setMessage(message(entry))
                        .setType(RaftClientRequest.writeRequestType())
                        .build();
        return protocol.submitClientRequestAsync(request);
    }

    private static Message message(byte[] entry) {
        // Ratis logs what it could not send: there are tokens in it.
        return Message.valueOf(
                UnsafeByteOperations.unsafeWrap(entry), () -> entry.length + " bytes");
    }
}
