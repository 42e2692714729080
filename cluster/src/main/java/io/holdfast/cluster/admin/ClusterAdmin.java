package io.holdfast.cluster.admin;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.raft.RaftAdminClient;
import io.holdfast.cluster.raft.RaftAdminClient.Leader;
import io.holdfast.driver.FailureText;

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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Inspects a cluster and changes its membership. Changes are committed through the log; reports are
 * each node's own view.
 */
public final class ClusterAdmin {
    private static final long REPORT_MILLIS = 2 * RaftAdminClient.QUERY_MILLIS;
    private static final int TRANSFERS = 3;

    private final List<NodeAddress> known;
    private final RaftAdminClient raft;

    /**
     * @param name the name of the cluster
     * @param known some of its nodes
     * @param tls null for connections without TLS
     */
    public ClusterAdmin(String name, List<NodeAddress> known, @Nullable ClusterTls tls)
            throws ClusterException {
        this.known = List.copyOf(known);
        this.raft = new RaftAdminClient(name, tls);
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
                queries.put(node, threads.submit(() -> raft.report(node)));
            }
            queries.forEach((node, report) -> results.put(node.name(), result(node, report)));
            threads.shutdownNow();
        }
    }

    private static NodeReportResult result(NodeAddress node, Future<NodeReport> report) {
        try {
            return new NodeReportResult(
                    node, report.get(REPORT_MILLIS, TimeUnit.MILLISECONDS), null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new NodeReportResult(node, null, "interrupted");
        } catch (ExecutionException e) {
            return new NodeReportResult(node, null, FailureText.of(e));
        } catch (TimeoutException e) {
            return new NodeReportResult(node, null, "no response in time");
        }
    }

    // ---- changes

    /** Adds a node, which must be running with --join. */
    public void add(NodeAddress node) throws ClusterException {
        change(
                members -> {
                    requireNew(node, members);
                    members.put(node.name(), node);
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
                    members.remove(old);
                    requireNew(node, members);
                    if (node.name().equals(old)) {
                        throw new ClusterException(
                                "a node that replaces another one needs a new name: "
                                        + old
                                        + " has been used");
                    }
                    members.put(node.name(), node);
                });
    }

    /** Transfers the leadership to a node. */
    public void transfer(String name) throws ClusterException {
        for (int left = TRANSFERS; ; left--) {
            Leader leader = leader();
            requireMember(name, membersByName(leader));
            if (leader.name().equals(name)) {
                return;
            }
            try {
                raft.transfer(leader, name);
                return;
            } catch (IOException e) {
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
        try {
            raft.snapshot(node);
        } catch (IOException e) {
            throw failed(name + " did not write a snapshot", e);
        }
    }

    /** Changes the members, which are keyed by their names. */
    private interface Change {
        void apply(Map<String, NodeAddress> members) throws ClusterException;
    }

    private void change(Change change) throws ClusterException {
        Leader leader = leader();
        Map<String, NodeAddress> next = membersByName(leader);
        change.apply(next);
        String refusal;
        try {
            refusal = raft.changeMembers(leader, List.copyOf(next.values()));
        } catch (IOException e) {
            throw failed(
                    "no confirmation of the membership change: check it with holdfast cluster"
                            + " status",
                    e);
        }
        if (refusal != null) {
            throw new ClusterException("the members of the cluster were not changed: " + refusal);
        }
    }

    private static Map<String, NodeAddress> membersByName(Leader leader) {
        Map<String, NodeAddress> members = new LinkedHashMap<>();
        leader.members().forEach(member -> members.put(member.name(), member));
        return members;
    }

    private static void requireMember(String name, Map<String, NodeAddress> members)
            throws ClusterException {
        if (!members.containsKey(name)) {
            throw new ClusterException(
                    "the cluster has no node named "
                            + name
                            + "; its nodes are "
                            + String.join(", ", members.keySet()));
        }
    }

    private void requireNew(NodeAddress node, Map<String, NodeAddress> members)
            throws ClusterException {
        if (members.containsKey(node.name())) {
            throw new ClusterException("the cluster has a node named " + node.name() + " already");
        }
        for (NodeAddress member : members.values()) {
            if (member.address().equals(node.address())) {
                throw new ClusterException(
                        "the node "
                                + member.name()
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
            raft.ping(node);
        } catch (IOException e) {
            throw failed(node + " does not respond: start it first, with holdfast serve --join", e);
        }
    }

    private Leader leader() throws ClusterException {
        for (NodeReportResult result : status()) {
            NodeReport report = result.report();
            if (report == null || !report.status().role().equals("leader")) {
                continue;
            }
            NodeAddress node = result.node();
            try {
                return raft.leader(node);
            } catch (IOException e) {
                throw failed("the leader, " + node + ", did not give its members", e);
            }
        }
        throw new ClusterException(
                "the cluster has no leader, so nothing can be committed: see holdfast cluster"
                        + " status");
    }

    private static ClusterException failed(String what, IOException e) {
        return new ClusterException(what + ": " + FailureText.of(e), e);
    }
}
