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
 * Looks at a cluster and changes who is in it. Changes go through the log like everything else;
 * what is looked at is each node's own view.
 */
public final class ClusterAdmin {
    private static final long ASK_MILLIS = 3000;
    private static final long CHANGE_MILLIS = 60_000;
    private static final long TRANSFER_MILLIS = 10_000;
    private static final int TRANSFERS = 3;
    private static final int TRIES = 20;
    private static final TimeDuration BETWEEN = TimeDuration.valueOf(250, TimeUnit.MILLISECONDS);

    private final RaftGroupId group;
    private final List<NodeAddress> known;
    private final Parameters parameters;

    /**
     * @param name of the cluster
     * @param known some of its nodes
     * @param tls null to talk in the clear
     */
    public ClusterAdmin(String name, List<NodeAddress> known, @Nullable ClusterTls tls)
            throws ClusterException {
        this.group = RaftSettings.groupId(name);
        this.known = List.copyOf(known);
        this.parameters = RaftTls.parameters(tls);
    }

    // ---- looking

    /** Asks the nodes that are known, and those that they know. */
    public List<NodeReportResult> status() {
        Map<String, NodeReportResult> answers = new LinkedHashMap<>();
        ask(known, answers);
        List<NodeAddress> others = new ArrayList<>();
        for (NodeReportResult answer : List.copyOf(answers.values())) {
            if (answer.report() == null) {
                continue;
            }
            for (NodeStatus.Peer peer : answer.report().status().peers()) {
                NodeAddress other = address(peer.node(), peer.address());
                if (other != null
                        && !answers.containsKey(other.name())
                        && others.stream().noneMatch(o -> o.name().equals(other.name()))) {
                    others.add(other);
                }
            }
        }
        ask(others, answers);
        return List.copyOf(answers.values());
    }

    private static @Nullable NodeAddress address(String name, String address) {
        try {
            return NodeAddress.parse(name + "=" + address);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private void ask(List<NodeAddress> nodes, Map<String, NodeReportResult> answers) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Map<NodeAddress, Future<NodeReport>> asked = new LinkedHashMap<>();
            for (NodeAddress node : nodes) {
                asked.put(node, threads.submit(() -> ask(node)));
            }
            asked.forEach((node, report) -> answers.put(node.name(), answer(node, report)));
            threads.shutdownNow();
        }
    }

    private static NodeReportResult answer(NodeAddress node, Future<NodeReport> report) {
        try {
            return new NodeReportResult(
                    node, report.get(2 * ASK_MILLIS, TimeUnit.MILLISECONDS), null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new NodeReportResult(node, null, "interrupted");
        } catch (ExecutionException e) {
            return new NodeReportResult(node, null, reason(e));
        } catch (TimeoutException e) {
            return new NodeReportResult(node, null, "no answer in time");
        }
    }

    private NodeReport ask(NodeAddress node) throws IOException {
        try (RaftClient client = client(List.of(node), RetryPolicies.noRetry(), ASK_MILLIS)) {
            RaftClientReply reply =
                    client.io().sendStaleRead(Message.EMPTY, -1, RaftPeerId.valueOf(node.name()));
            if (!reply.isSuccess()) {
                throw new IOException(reason(reply.getException()), reply.getException());
            }
            return NodeReport.of(reply.getMessage().getContent().toByteArray());
        }
    }

    // ---- changing

    /** Adds a node, which has been started to join. */
    public void add(NodeAddress node) throws ClusterException {
        change(
                members -> {
                    requireNew(node, members);
                    members.put(node.name(), RaftSettings.peer(node));
                });
    }

    /** Takes a node out. */
    public void remove(String name) throws ClusterException {
        change(
                members -> {
                    requireMember(name, members);
                    if (members.size() == 1) {
                        throw new ClusterException(name + " is the last node: just stop it");
                    }
                    members.remove(name);
                });
    }

    /** Takes a node out and another in, in one step. */
    public void replace(String old, NodeAddress node) throws ClusterException {
        change(
                members -> {
                    requireMember(old, members);
                    RaftPeer gone = members.remove(old);
                    requireNew(node, members);
                    if (gone != null && node.name().equals(old)) {
                        throw new ClusterException(
                                "a node that takes the place of another needs a name of its own: "
                                        + old
                                        + " has been used");
                    }
                    members.put(node.name(), RaftSettings.peer(node));
                });
    }

    /** Lets a node lead. */
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
                        name + " does not lead");
                return;
            } catch (IOException | RuntimeException e) {
                if (left <= 0) { // others may have wanted to lead at the same moment
                    throw failed(name + " does not lead", e);
                }
            }
        }
    }

    /**
     * Makes a node write a copy of its state.
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
            require(reply, name + " wrote no copy of its state");
        } catch (IOException | RuntimeException e) {
            throw failed(name + " wrote no copy of its state", e);
        }
    }

    /** What becomes of the nodes by their names. */
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
                    "the cluster stays as it is");
        } catch (IOException | RuntimeException e) {
            throw failed(
                    "no confirmation that the cluster has changed: check it with holdfast cluster"
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
                            + ", but "
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
                        "the node " + member.getId() + " has the address " + node.address());
            }
        }
        for (NodeReportResult answer : status()) {
            if (answer.report() != null && answer.report().names().contains(node.name())) {
                throw new ClusterException(
                        "the name "
                                + node.name()
                                + " has been used: what a node of that name has promised must not"
                                + " be taken for the new one's");
            }
        }
        try {
            try (RaftClient client = client(List.of(node), RetryPolicies.noRetry(), ASK_MILLIS)) {
                require(
                        client.getGroupManagementApi(RaftPeerId.valueOf(node.name())).list(),
                        node + " does not answer");
            }
        } catch (IOException | RuntimeException e) {
            throw failed(node + " does not answer: start it first, with holdfast serve --join", e);
        }
    }

    /**
     * The node that leads.
     *
     * @param members of the cluster, by their names
     */
    private record Leader(String name, Map<String, RaftPeer> members) {}

    private Leader leader() throws ClusterException {
        for (NodeReportResult answer : status()) {
            NodeReport report = answer.report();
            if (report == null || !report.status().role().equals("leader")) {
                continue;
            }
            NodeAddress node = answer.node();
            try (RaftClient client = client(List.of(node), RetryPolicies.noRetry(), ASK_MILLIS)) {
                var info =
                        client.getGroupManagementApi(RaftPeerId.valueOf(node.name())).info(group);
                Map<String, RaftPeer> members = new LinkedHashMap<>();
                info.getGroup().getPeers().stream()
                        .sorted(java.util.Comparator.comparing(peer -> peer.getId().toString()))
                        .forEach(peer -> members.put(peer.getId().toString(), peer));
                return new Leader(node.name(), members);
            } catch (IOException | RuntimeException e) {
                throw failed("the leader, " + node + ", does not answer", e);
            }
        }
        throw new ClusterException(
                "the cluster has no leader now, so it can decide nothing: see holdfast cluster"
                        + " status");
    }

    private RaftClient client(Leader leader) {
        return RaftClient.newBuilder()
                .setRaftGroup(RaftGroup.valueOf(group, leader.members().values()))
                .setLeaderId(RaftPeerId.valueOf(leader.name()))
                .setProperties(properties(CHANGE_MILLIS))
                .setParameters(parameters)
                .setRetryPolicy(RetryPolicies.retryUpToMaximumCountWithFixedSleep(TRIES, BETWEEN))
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

    private static void require(RaftClientReply reply, String otherwise) throws ClusterException {
        if (!reply.isSuccess()) {
            throw failed(otherwise, reply.getException());
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

    /** The innermost reason says what is wrong; those around it say where in Ratis. */
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
            return "it takes no part in the cluster any more";
        }
        return FailureText.of(last);
    }
}
