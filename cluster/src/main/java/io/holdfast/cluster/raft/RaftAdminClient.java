package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterSecret;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.check.StateCheckReport;
import io.holdfast.cluster.formation.NodeCalls;
import io.holdfast.cluster.rpc.Handshake;
import io.holdfast.cluster.rpc.NodeRpcClient;
import io.holdfast.cluster.rpc.RpcRefusedException;
import io.holdfast.cluster.rpc.RpcSocketFactory;

import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Sends requests of administrators to the Raft servers of a cluster. The message of each {@link
 * IOException} is the reason alone; a {@link ClusterException} is final, such as the refusal of
 * this administrator by a node. Thread-safe.
 */
public final class RaftAdminClient {
    /** The timeout of a request that changes nothing. */
    public static final long QUERY_MILLIS = 3000;

    /** The timeout of one request that changes something. */
    public static final Duration CHANGE_TIMEOUT = Duration.ofSeconds(60);

    private static final long CHUNK_MILLIS = 30_000;
    private static final long TRANSFER_MILLIS = 10_000;
    private static final long CHECK_MILLIS = 10_000;

    /**
     * Part of the message of a RejectedExecutionException, of an executor of a server that has
     * stopped. The RPC passes on the message of a failure, not its type.
     */
    private static final String REJECTED = " rejected from ";

    private static final RetryPolicy RETRY_FAILURE =
            RetryPolicies.retryUpToMaximumCountWithFixedSleep(
                    20, TimeDuration.valueOf(250, TimeUnit.MILLISECONDS));

    /** A refusal is final. */
    private static final RetryPolicy RETRY =
            event ->
                    event.getCause() instanceof RpcRefusedException
                            ? RetryPolicy.NO_RETRY_ACTION
                            : RETRY_FAILURE.handleAttemptFailure(event);

    /**
     * The leader of a cluster, and the members of the cluster according to it.
     *
     * @param version the version of the cluster
     * @param members ordered by name
     */
    public record Leader(UUID clusterId, Member node, int version, List<Member> members) {
        public Leader {
            members = List.copyOf(members);
        }
    }

    interface Request<T> {
        T send(RaftClient client) throws IOException;
    }

    private final String cluster;
    private final long changeMillis;
    private final RpcSocketFactory rpcSocketFactory;
    private final Handshake handshake;
    private final Parameters parameters = new Parameters();

    /**
     * @param cluster the name of the cluster
     * @param tls null for connections without TLS
     * @param secret proves to nodes without TLS that they may be changed; null if there is none
     * @param changeTimeout the timeout of one request that changes something
     */
    public RaftAdminClient(
            String cluster,
            @Nullable ClusterTls tls,
            @Nullable ClusterSecret secret,
            Duration changeTimeout)
            throws ClusterException {
        this.cluster = cluster;
        this.changeMillis = changeTimeout.toMillis();
        this.rpcSocketFactory = RaftTls.sockets(tls);
        SocketRpcType.put(parameters, rpcSocketFactory);
        this.handshake = Handshake.admin(cluster, secret);
        SocketRpcType.put(parameters, handshake);
    }

    /**
     * Returns a node's own view of the cluster.
     *
     * @throws ClusterException if another node listens at its address
     */
    public NodeReport report(NodeAddress node) throws IOException {
        try (NodeCalls calls = new NodeCalls(node, cluster, rpcSocketFactory)) {
            return calls.report(QUERY_MILLIS);
        } catch (ClusterException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(reason(e), e);
        }
    }

    /** Makes the nodes compare their states, and returns what one of them found. */
    public StateCheckReport check(NodeAddress node) throws IOException {
        try (NodeCalls calls = new NodeCalls(node, handshake, rpcSocketFactory)) {
            return calls.check(CHECK_MILLIS);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /**
     * Gives a node without a cluster the id of its cluster, so that it can be added.
     *
     * @param dataId the data id that the node has reported
     */
    public void join(NodeAddress node, UUID clusterId, UUID dataId) throws IOException {
        try (NodeCalls calls = new NodeCalls(node, handshake, rpcSocketFactory)) {
            calls.join(clusterId, dataId, QUERY_MILLIS);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /**
     * Replaces the members, unless they have changed since. After an exception they may have been
     * replaced.
     *
     * @return why they were not replaced; null if they were
     */
    public @Nullable String changeMembers(Leader leader, List<Member> next) throws IOException {
        var change =
                SetConfigurationRequest.Arguments.newBuilder()
                        .setServersInNewConf(RaftPeers.peers(next))
                        .setServersInCurrentConf(RaftPeers.peers(leader.members()))
                        .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                        .build();
        RaftClientReply reply =
                send(client(leader), client -> client.admin().setConfiguration(change));
        return reply.isSuccess() ? null : reason(reply.getException());
    }

    /** Transfers the leadership to another member. */
    public void transfer(Leader leader, Member to) throws IOException {
        send(
                client(leader),
                client ->
                        requireSuccess(
                                client.admin()
                                        .transferLeadership(RaftPeers.id(to), TRANSFER_MILLIS)));
    }

    /** Makes a node of a cluster write a snapshot. */
    public void snapshot(UUID clusterId, Member node) throws IOException {
        send(
                () -> client(clusterId, node, List.of(node), RetryPolicies.noRetry()),
                client ->
                        requireSuccess(
                                client.getSnapshotManagementApi(RaftPeers.id(node))
                                        .create(true, changeMillis)));
    }

    /**
     * Downloads the newest snapshot of a node. At most one chunk is in memory at a time.
     *
     * @return the file name of the snapshot
     */
    public String downloadSnapshot(NodeAddress node, OutputStream to) throws IOException {
        try (NodeRpcClient nodeRpcClient =
                new NodeRpcClient(
                        "holdfast-cluster-admin",
                        () -> InetSocketAddress.createUnresolved(node.host(), node.port()),
                        rpcSocketFactory,
                        handshake)) {
            String name = "";
            for (long offset = 0; ; ) {
                SnapshotChunk chunk = chunk(nodeRpcClient, SnapshotChunk.request(name, offset));
                if (chunk.offset() != offset || (!chunk.isLast() && chunk.data().isEmpty())) {
                    throw new IOException("malformed response from the node");
                }
                chunk.data().writeTo(to);
                if (chunk.isLast()) {
                    return chunk.name();
                }
                name = chunk.name();
                offset += chunk.data().size();
            }
        }
    }

    private static SnapshotChunk chunk(NodeRpcClient nodeRpcClient, byte[] request)
            throws IOException {
        try {
            return SnapshotChunk.decode(
                    nodeRpcClient
                            .call(RpcMessageTypes.READ_SNAPSHOT, request, CHUNK_MILLIS)
                            .get(CHUNK_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (TimeoutException e) {
            throw new IOException("no response in time", e);
        }
    }

    /** Returns a client for one request, which follows the leadership to other members. */
    private Supplier<RaftClient> client(Leader leader) {
        return () -> client(leader.clusterId(), leader.node(), leader.members(), RETRY);
    }

    /**
     * @param first the first to be asked, at this address, which may be another one than that in
     *     the member list
     */
    private RaftClient client(
            UUID clusterId, Member first, List<Member> members, RetryPolicy retry) {
        List<Member> reachable =
                members.stream()
                        .map(member -> member.dataId().equals(first.dataId()) ? first : member)
                        .toList();
        RaftProperties properties = RaftSettings.client();
        RaftClientConfigKeys.Rpc.setRequestTimeout(
                properties, TimeDuration.valueOf(changeMillis, TimeUnit.MILLISECONDS));
        return RaftClient.newBuilder()
                .setRaftGroup(
                        RaftGroup.valueOf(
                                RaftGroupId.valueOf(clusterId), RaftPeers.peers(reachable)))
                .setLeaderId(RaftPeers.id(first))
                .setProperties(properties)
                .setParameters(parameters)
                .setRetryPolicy(retry)
                .build();
    }

    /**
     * @param builder may throw, which counts as a failed request
     */
    static <T> T send(Supplier<RaftClient> builder, Request<T> request) throws IOException {
        try (RaftClient client = builder.get()) {
            return request.send(client);
        } catch (IOException | RuntimeException e) {
            throw failed(e);
        }
    }

    private static IOException failed(Exception e) {
        return rootCause(e) instanceof RpcRefusedException refusal
                ? new ClusterException("refused by the node: " + refusal.getMessage(), e)
                : new IOException(reason(e), e);
    }

    private static Throwable rootCause(Throwable failure) {
        Throwable last = failure;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        return last;
    }

    private static <R extends RaftClientReply> R requireSuccess(R reply) throws IOException {
        if (reply.isSuccess()) {
            return reply;
        }
        throw new IOException(reason(reply.getException()), reply.getException());
    }

    static String reason(@Nullable Throwable failure) {
        if (failure == null) {
            return "no reason given";
        }
        String reason = RaftNode.reason(failure);
        return reason.contains(REJECTED) ? "it is no longer a member of the cluster" : reason;
    }
}
