package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;

import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Sends requests of administrators to the Raft servers of a cluster. The message of each {@link
 * IOException} is the reason alone. Thread-safe.
 */
public final class RaftAdminClient {
    /** The timeout of a request that changes nothing. */
    public static final long QUERY_MILLIS = 3000;

    private static final long CHANGE_MILLIS = 60_000;
    private static final long TRANSFER_MILLIS = 10_000;

    /**
     * Part of the message of a RejectedExecutionException, of an executor of a server that has
     * stopped. The RPC passes on the message of a failure, not its type.
     */
    private static final String REJECTED = " rejected from ";

    private static final RetryPolicy RETRY =
            RetryPolicies.retryUpToMaximumCountWithFixedSleep(
                    20, TimeDuration.valueOf(250, TimeUnit.MILLISECONDS));

    /**
     * The leader of a cluster, and the members of the cluster according to it.
     *
     * @param name the name of the leader
     * @param members ordered by name
     */
    public record Leader(String name, List<NodeAddress> members) {
        public Leader {
            members = List.copyOf(members);
        }
    }

    interface Request<T> {
        T send(RaftClient client) throws IOException;
    }

    private final RaftGroupId group;
    private final Parameters parameters;

    /**
     * @param clusterName the name of the cluster
     * @param tls null for connections without TLS
     */
    public RaftAdminClient(String clusterName, @Nullable ClusterTls tls) throws ClusterException {
        this.group = RaftSettings.groupId(clusterName);
        this.parameters = new Parameters();
        SocketRpcType.put(parameters, RaftTls.sockets(tls));
    }

    /** Returns a node's own view of the cluster. */
    public NodeReport report(NodeAddress node) throws IOException {
        return send(
                client(node, QUERY_MILLIS),
                client -> {
                    RaftClientReply reply =
                            requireSuccess(
                                    client.io().sendStaleRead(Message.EMPTY, -1, id(node.name())));
                    return NodeReport.of(reply.getMessage().getContent().toByteArray());
                });
    }

    /** Throws unless a Raft server responds at the address of a node. */
    public void ping(NodeAddress node) throws IOException {
        send(
                client(node, QUERY_MILLIS),
                client -> requireSuccess(client.getGroupManagementApi(id(node.name())).list()));
    }

    /**
     * Returns a node as the leader, with the members that it knows.
     *
     * @param node a node that has reported that it is the leader
     */
    public Leader leader(NodeAddress node) throws IOException {
        return send(
                client(node, QUERY_MILLIS),
                client -> {
                    var info =
                            requireSuccess(
                                    client.getGroupManagementApi(id(node.name())).info(group));
                    return new Leader(
                            node.name(),
                            info.getGroup().getPeers().stream()
                                    .map(RaftSettings::address)
                                    .sorted(Comparator.comparing(NodeAddress::name))
                                    .toList());
                });
    }

    /**
     * Replaces the members, unless they have changed since. After an exception they may have been
     * replaced.
     *
     * @return why they were not replaced; null if they were
     */
    public @Nullable String changeMembers(Leader leader, List<NodeAddress> next)
            throws IOException {
        var change =
                SetConfigurationRequest.Arguments.newBuilder()
                        .setServersInNewConf(peers(next))
                        .setServersInCurrentConf(peers(leader.members()))
                        .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                        .build();
        RaftClientReply reply =
                send(client(leader), client -> client.admin().setConfiguration(change));
        return reply.isSuccess() ? null : reason(reply.getException());
    }

    /** Transfers the leadership to another member. */
    public void transfer(Leader leader, String to) throws IOException {
        send(
                client(leader),
                client ->
                        requireSuccess(client.admin().transferLeadership(id(to), TRANSFER_MILLIS)));
    }

    /** Makes a node write a snapshot. */
    public void snapshot(NodeAddress node) throws IOException {
        send(
                client(node, CHANGE_MILLIS),
                client ->
                        requireSuccess(
                                client.getSnapshotManagementApi(id(node.name()))
                                        .create(true, CHANGE_MILLIS)));
    }

    private static RaftPeerId id(String name) {
        return RaftPeerId.valueOf(name);
    }

    private static List<RaftPeer> peers(List<NodeAddress> nodes) {
        return nodes.stream().map(RaftSettings::peer).toList();
    }

    /** Returns a client for one request to one node. */
    private Supplier<RaftClient> client(NodeAddress node, long timeoutMillis) {
        return () -> client(node.name(), List.of(node), RetryPolicies.noRetry(), timeoutMillis);
    }

    /** Returns a client for one request, which follows the leadership to other members. */
    private Supplier<RaftClient> client(Leader leader) {
        return () -> client(leader.name(), leader.members(), RETRY, CHANGE_MILLIS);
    }

    private RaftClient client(
            String leader, List<NodeAddress> nodes, RetryPolicy retry, long timeoutMillis) {
        RaftProperties properties = RaftSettings.client();
        RaftClientConfigKeys.Rpc.setRequestTimeout(
                properties, TimeDuration.valueOf(timeoutMillis, TimeUnit.MILLISECONDS));
        return RaftClient.newBuilder()
                .setRaftGroup(RaftGroup.valueOf(group, peers(nodes)))
                .setLeaderId(id(leader))
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
            throw new IOException(reason(e), e);
        }
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
