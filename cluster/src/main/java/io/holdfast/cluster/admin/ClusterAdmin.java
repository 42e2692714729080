package io.holdfast.cluster.admin;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.raft.RaftSettings;
import io.holdfast.cluster.raft.RaftTls;
import io.holdfast.driver.FailureText;

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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Inspects a cluster and changes its membership. Changes are committed through the log; reports are
 * each node's own view.
 */
public final class ClusterAdmin {
    private static final long QUERY_MILLIS = 3000;
    private static final long CHANGE_MILLIS = 60_000;
    private static final long TRANSFER_MILLIS = 10_000;
    private static final int TRANSFERS = 3;
    private static final int TRIES = 20;
    private static final TimeDuration RETRY_INTERVAL =
            TimeDuration.valueOf(250, TimeUnit.MILLISECONDS);

    private final RaftGroupId group;
    private final List<NodeAddress> known;
    private final Parameters parameters;

    /**
     * @param name the name of the cluster
     * @param known some of its nodes
     * @param tls null for connections without TLS
     */
    public ClusterAdmin(String name, List<NodeAddress> known, @Nullable ClusterTls tls)
            throws ClusterException {
        this.group = RaftSettings.groupId(name);
        this.known = List.copyOf(known);
        this.parameters = RaftTls.parameters(tls);
    }

    // ---- inspection

    /** Queries the known nodes and those that they report. */
    public List<NodeReportResult> status() {
        Map<String, NodeReportResult> results = new LinkedHashMap<>();
        query(known, results);
        List<NodeAddress> others = new ArrayList<>();
        for (NodeReportResult result : List.copyOf(results.values())) {
            if (result.report() == null) {
                continue;
            }
            for (NodeStatus.Peer peer : result.report().status().peers()) {
                NodeAddress other = address(peer.node(), peer.address());
                if (other != null
                        && !results.containsKey(other.name())
                        && others.stream().noneMatch(o -> o.name().equals(other.name()))) {
                    others.add(other);
                }
            }
        }
        query(others, results);
        return List.copyOf(results.values());
    }

    private static @Nullable NodeAddress address(String name, String address) {
        try {
            return NodeAddress.parse(name + "=" + address);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private void query(List<NodeAddress> nodes, Map<String, NodeReportResult> results) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Map<NodeAddress, Future<NodeReport>> queries = new LinkedHashMap<>();
            for (NodeAddress node : nodes) {
                queries.put(node, threads.submit(() -> query(node)));
            }
            queries.forEach((node, report) -> results.put(node.name(), result(node, report)));
            threads.shutdownNow();
        }
    }

    private static NodeReportResult result(NodeAddress node, Future<NodeReport> report) {
        try {
            return new NodeReportResult(
                    node, report.get(2 * QUERY_MILLIS, TimeUnit.MILLISECONDS), null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new NodeReportResult(node, null, "interrupted");
        } catch (ExecutionException e) {
            return new NodeReportResult(node, null, reason(e));
        } catch (TimeoutException e) {
            return new NodeReportResult(node, null, "no response in time");
        }
    }

    private NodeReport query(NodeAddress node) throws IOException {
        try (RaftClient client = client(List.of(node), RetryPolicies.noRetry(), QUERY_MILLIS)) {
            RaftClientReply reply =
                    client.io().sendStaleRead(Message.EMPTY, -1, RaftPeerId.valueOf(node.name()));
            if (!reply.isSuccess()) {
                throw new IOException(reason(reply.getException()), reply.getException());
            }
            return NodeReport.of(reply.getMessage().getContent().toByteArray());
        }
    }

    // ---- changes

    /** Adds a node, which must be running with --join. */
    public void add(NodeAddress node) throws ClusterException {
        change(
                members -> {
                    requireNew(node, members);
                    members.put(node.name(), RaftSettings.peer(node));
                });
    }

    /** Removes a node. */
    public void remove(String name) throws ClusterException {
        change(
                members -> {
                    requireMember(name, members);
                    if (members.size() == 1) {
                        throw new ClusterException(
                                name + " is the last node and cannot be removed: stop it instead");
                    }
                    members.remove(name);
                });
    }

    /** Replaces a node by another in one step. */
    public void replace(String old, NodeAddress node) throws ClusterException {
        change(
                members -> {
                    requireMember(old, members);
                    RaftPeer gone = members.remove(old);
                    requireNew(node, members);
                    if (gone != null && node.name().equals(old)) {
                        throw new ClusterException(
                                "a node that replaces another one needs a new name: "
                                        + old
                                        + " has been used");
                    }
                    members.put(node.name(), RaftSettings.peer(node));
                });
    }

    /** Transfers the leadership to a node. */
    public void transfer(String name) throws ClusterException {
        for (int left = TRANSFERS; ; left--) {
            Leader leader = leader();
            requireMember(name, leader.members());
            if (leader.name().equals(name)) {
                return;
            }
            try (RaftClient client = client(leader)) {
                require(
                        client.admin()
                                .transferLeadership(RaftPeerId.valueOf(name), TRANSFER_MILLIS),
                        "could not transfer the leadership to " + name);
                return;
            } catch (IOException | RuntimeException e) {
                if (left <= 0) { // there may have been an election at the same moment
                    throw failed("could not transfer the leadership to " + name, e);
                }
            }
        }
    }

    /**
     * Makes a node write a snapshot.
     *
     * @throws ClusterException if it does not
     */
    public void snapshot(String name) throws ClusterException {
        NodeAddress node =
                known.stream()
                        .filter(one -> one.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> new ClusterException("no node is named " + name));
        try (RaftClient client = client(List.of(node), RetryPolicies.noRetry(), CHANGE_MILLIS)) {
            RaftClientReply reply =
                    client.getSnapshotManagementApi(RaftPeerId.valueOf(name))
                            .create(true, CHANGE_MILLIS);
            require(reply, name + " did not write a snapshot");
        } catch (IOException | RuntimeException e) {
            throw failed(name + " did not write a snapshot", e);
        }
    }

    /** Changes the members, which are keyed by their names. */
    private interface Change {
        void apply(Map<String, RaftPeer> members) throws ClusterException;
    }

    private void change(Change change) throws ClusterException {
        Leader leader = leader();
        Map<String, RaftPeer> next = new LinkedHashMap<>(leader.members());
        change.apply(next);
        try (RaftClient client = client(leader)) {
            require(
                    client.admin()
                            .setConfiguration(
                                    SetConfigurationRequest.Arguments.newBuilder()
                                            .setServersInNewConf(List.copyOf(next.values()))
                                            .setServersInCurrentConf(
                                                    List.copyOf(leader.members().values()))
                                            .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                                            .build()),
                    "the members of the cluster were not changed");
        } catch (IOException | RuntimeException e) {
            throw failed(
                    "no confirmation of the membership change: check it with holdfast cluster"
                            + " status",
                    e);
        }
    }

    private static void requireMember(String name, Map<String, RaftPeer> members)
            throws ClusterException {
        if (!members.containsKey(name)) {
            throw new ClusterException(
                    "the cluster has no node named "
                            + name
                            + "; its nodes are "
                            + String.join(", ", members.keySet()));
        }
    }

    private void requireNew(NodeAddress node, Map<String, RaftPeer> members)
            throws ClusterException {
        if (members.containsKey(node.name())) {
            throw new ClusterException("the cluster has a node named " + node.name() + " already");
        }
        for (RaftPeer member : members.values()) {
            if (member.getAddress().equals(node.address())) {
                throw new ClusterException(
                        "the node "
                                + member.getId()
                                + " has the address "
                                + node.address()
                                + " already");
            }
        }
        for (NodeReportResult result : status()) {
            if (result.report() != null && result.report().names().contains(node.name())) {
                throw new ClusterException(
                        "the name "
                                + node.name()
                                + " has been used by another node and its data: choose a new name");
            }
        }
        try {
            try (RaftClient client = client(List.of(node), RetryPolicies.noRetry(), QUERY_MILLIS)) {
                require(
                        client.getGroupManagementApi(RaftPeerId.valueOf(node.name())).list(),
                        node + " does not respond");
            }
        } catch (IOException | RuntimeException e) {
            throw failed(node + " does not respond: start it first, with holdfast serve --join", e);
        }
    }

    /**
     * The leader.
     *
     * @param members the members of the cluster, by their names
     */
    private record Leader(String name, Map<String, RaftPeer> members) {}

    private Leader leader() throws ClusterException {
        for (NodeReportResult result : status()) {
            NodeReport report = result.report();
            if (report == null || !report.status().role().equals("leader")) {
                continue;
            }
            NodeAddress node = result.node();
            try (RaftClient client = client(List.of(node), RetryPolicies.noRetry(), QUERY_MILLIS)) {
                var info =
                        client.getGroupManagementApi(RaftPeerId.valueOf(node.name())).info(group);
                Map<String, RaftPeer> members = new LinkedHashMap<>();
                info.getGroup().getPeers().stream()
                        .sorted(java.util.Comparator.comparing(peer -> peer.getId().toString()))
                        .forEach(peer -> members.put(peer.getId().toString(), peer));
                return new Leader(node.name(), members);
            } catch (IOException | RuntimeException e) {
                throw failed("the leader, " + node + ", does not respond", e);
            }
        }
        throw new ClusterException(
                "the cluster has no leader, so nothing can be committed: see holdfast cluster"
                        + " status");
    }

    private RaftClient client(Leader leader) {
        return RaftClient.newBuilder()
                .setRaftGroup(RaftGroup.valueOf(group, leader.members().values()))
                .setLeaderId(RaftPeerId.valueOf(leader.name()))
                .setProperties(properties(CHANGE_MILLIS))
                .setParameters(parameters)
                .setRetryPolicy(
                        RetryPolicies.retryUpToMaximumCountWithFixedSleep(TRIES, RETRY_INTERVAL))
                .build();
    }

    private RaftClient client(List<NodeAddress> nodes, RetryPolicy retry, long millis) {
        return RaftClient.newBuilder()
                .setRaftGroup(
                        RaftGroup.valueOf(group, nodes.stream().map(RaftSettings::peer).toList()))
                .setLeaderId(RaftPeerId.valueOf(nodes.getFirst().name()))
                .setProperties(properties(millis))
                .setParameters(parameters)
                .setRetryPolicy(retry)
                .build();
    }

    private static RaftProperties properties(long millis) {
        RaftProperties properties = RaftSettings.client();
        RaftClientConfigKeys.Rpc.setRequestTimeout(
                properties, TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS));
        return properties;
    }

    private static void require(RaftClientReply reply, String message) throws ClusterException {
        if (!reply.isSuccess()) {
            throw failed(message, reply.getException());
        }
    }

    private static ClusterException failed(String what, @Nullable Exception e) {
        if (e instanceof ClusterException known) {
            return known;
        }
        return e == null
                ? new ClusterException(what)
                : new ClusterException(what + ": " + reason(e), e);
    }

    /** Returns the message of the root cause; those around it only name places in Ratis. */
    private static String reason(@Nullable Throwable failure) {
        Throwable last = failure;
        while (last != null && last.getCause() != null) {
            last = last.getCause();
        }
        if (last == null) {
            return "no reason given";
        }
        if (last instanceof RejectedExecutionException
                || String.valueOf(last.getMessage()).contains("rejected from")) {
            return "it is no longer a member of the cluster";
        }
        return FailureText.of(last);
    }
}
