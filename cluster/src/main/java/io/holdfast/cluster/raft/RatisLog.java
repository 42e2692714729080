package io.holdfast.cluster.raft;

import io.holdfast.cluster.entry.EncodingException;
import io.holdfast.cluster.entry.Entry;
import io.holdfast.cluster.entry.EntryEncoding;
import io.holdfast.cluster.node.Log;

import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The way into the log of a Ratis server: straight if it leads, else through the one that does. */
final class RatisLog implements Log {
    private static final Logger LOG = LoggerFactory.getLogger(RatisLog.class);

    private final RaftGroupId groupId;
    private final Parameters parameters;
    private final ClientId clientId = ClientId.randomId();
    private final AtomicLong lastCall = new AtomicLong();
    private final boolean alone;
    private final Gatherer gatherer;
    private volatile RaftServer.@Nullable Division division;

    /** Guarded by this. */
    private @Nullable RaftClient toLeader;

    private @Nullable RaftPeerId leader;

    private boolean closed;

    RatisLog(RaftGroupId groupId, Parameters parameters, boolean alone, Runnable resting) {
        this.alone = alone;
        this.gatherer = new Gatherer(this::submitHere, alone, resting);
        this.groupId = groupId;
        this.parameters = parameters;
    }

    /** Begins, with a server that has been started. */
    void begin(RaftServer started) throws IOException {
        division = started.getDivision(groupId);
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
    public boolean isAlone() {
        return alone;
    }

    @Override
    public long term() {
        RaftServer.Division here = division();
        return here == null ? -1 : here.getInfo().getCurrentTerm();
    }

    @Override
    public void propose(byte[] entry, Consumer<Boolean> outcome) {
        if (isLeader()) {
            gatherer.add(entry, outcome);
            return;
        }
        CompletableFuture<RaftClientReply> reply;
        try {
            reply = submitThere(entry);
        } catch (IOException | RuntimeException e) {
            LOG.atDebug().setCause(e).log("an entry could not be proposed");
            outcome.accept(false);
            return;
        }
        reply.whenComplete(
                (answer, failure) -> {
                    boolean in = failure == null && answer != null && answer.isSuccess();
                    if (!in) {
                        LOG.atDebug()
                                .addKeyValue("reason", failure == null ? answer : failure)
                                .log("an entry may not have got in");
                    }
                    outcome.accept(in);
                });
    }

    /** Another node wants an entry in. */
    CompletableFuture<Message> receive(byte[] entry) {
        if (!isLeader()) {
            return CompletableFuture.failedFuture(new IOException("not the leader"));
        }
        try {
            Entry _ = EntryEncoding.decode(entry); // what cannot be read must not stop others
        } catch (EncodingException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<Message> done = new CompletableFuture<>();
        gatherer.add(
                entry,
                in -> {
                    if (in) {
                        done.complete(Message.EMPTY);
                    } else {
                        done.completeExceptionally(new IOException("it may not have got in"));
                    }
                });
        return done;
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

    private CompletableFuture<RaftClientReply> submitThere(byte[] entry) throws IOException {
        RaftServer.Division here = division();
        RaftPeerId now = here == null ? null : here.getInfo().getLeaderId();
        if (here == null || now == null || now.equals(here.getId())) {
            throw new IOException("no leader");
        }
        RaftClient client = client(here.getGroup(), now);
        // Not under our lock: the client takes one of its own, and tells of failures under it.
        CompletableFuture<RaftClientReply> reply = client.async().sendReadOnly(message(entry));
        reply.whenComplete(
                (answer, failure) -> {
                    if (failure != null || !answer.isSuccess()) {
                        drop(client); // what it sends is in order: after a gap it sends nothing
                    }
                });
        return reply;
    }

    /** The one that talks to a leader. */
    private synchronized RaftClient client(RaftGroup group, RaftPeerId to) throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
        RaftClient known = toLeader;
        if (known != null && to.equals(leader)) {
            return known;
        }
        if (known != null) {
            close(known);
        }
        RaftClient made =
                RaftClient.newBuilder()
                        .setRaftGroup(group)
                        .setLeaderId(to)
                        .setProperties(RaftSettings.client())
                        .setParameters(parameters)
                        .setRetryPolicy(RetryPolicies.noRetry())
                        .build();
        toLeader = made;
        leader = to;
        return made;
    }

    private synchronized void drop(RaftClient failed) {
        if (failed.equals(toLeader)) {
            toLeader = null;
            leader = null;
            close(failed);
        }
    }

    private static void close(RaftClient client) {
        Thread.startVirtualThread(
                () -> {
                    try {
                        client.close();
                    } catch (IOException e) {
                        LOG.atDebug().setCause(e).log("a client did not close");
                    }
                });
    }

    synchronized void close() {
        closed = true;
        if (toLeader != null) {
            close(toLeader);
            toLeader = null;
        }
    }
}
