package io.holdfast.cluster.admin;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.ClusterSecret;
import io.holdfast.cluster.ClusterTls;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.admin.ClusterStatus.LeaderReport;
import io.holdfast.cluster.check.StateCheckReport;
import io.holdfast.cluster.raft.RaftAdminClient;
import io.holdfast.cluster.raft.RaftAdminClient.Leader;
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Inspects a cluster and changes its membership. Changes are committed through the log; reports are
 * each node's own view.
 */
public final class ClusterAdmin {
    private static final long REPORT_MILLIS = 2 * RaftAdminClient.QUERY_MILLIS;
    private static final int TRANSFERS = 3;
    private static final int DOWNLOADS = 2;

    /** The maximum time for a waiting node to start its Raft server. */
    private static final long JOIN_NANOS = 30_000_000_000L;

    private static final long JOIN_POLL_NANOS = 50_000_000L;
    private static final long CHANGE_POLL_NANOS = 500_000_000L;

    /** The maximum time without a leader while a change is waited for. */
    private static final long ELECTION_NANOS = 30_000_000_000L;

    private final List<NodeAddress> known;
    private final RaftAdminClient raft;

    /**
     * @param name the name of the cluster
     * @param known some of its nodes
     * @param tls null for connections without TLS
     * @param secret proves to nodes without TLS that they may be changed; null if there is none
     */
    public ClusterAdmin(
            String name,
            List<NodeAddress> known,
            @Nullable ClusterTls tls,
            @Nullable ClusterSecret secret)
            throws ClusterException {
        this(name, known, tls, secret, RaftAdminClient.CHANGE_TIMEOUT);
    }

    /**
     * @param changeTimeout after which a change without a response is asked about; it may take
     *     longer
     */
    public ClusterAdmin(
            String name,
            List<NodeAddress> known,
            @Nullable ClusterTls tls,
            @Nullable ClusterSecret secret,
            Duration changeTimeout)
            throws ClusterException {
        this.known = List.copyOf(known);
        this.raft = new RaftAdminClient(name, tls, secret, changeTimeout);
    }

    // ---- inspection

    /** Queries the known nodes, and those that they report, at the addresses that they report. */
    public List<NodeReportResult> status() {
        return status(known);
    }

    private List<NodeReportResult> status(List<NodeAddress> first) {
        Map<String, NodeReportResult> results = new LinkedHashMap<>();
        Set<NodeAddress> asked = new HashSet<>();
        List<NodeAddress> next = first;
        while (!next.isEmpty()) {
            query(next, results);
            asked.addAll(next);
            next =
                    results.values().stream()
                            .flatMap(ClusterAdmin::reported)
                            .filter(node -> !asked.contains(node) && !responds(node, results))
                            .distinct()
                            .toList();
        }
        return List.copyOf(results.values());
    }

    private static boolean responds(NodeAddress node, Map<String, NodeReportResult> results) {
        NodeReportResult result = results.get(node.name());
        return result != null && result.report() != null;
    }

    private static Stream<NodeAddress> reported(NodeReportResult result) {
        NodeReport report = result.report();
        return report == null
                ? Stream.empty()
                : report.status().peers().stream()
                        .flatMap(peer -> Stream.ofNullable(address(peer.node(), peer.address())));
    }

    /**
     * Makes all nodes compare their states.
     *
     * @throws ClusterException if no check was committed
     */
    public StateCheckReport check() throws ClusterException {
        List<NodeReportResult> results = status();
        IOException failure = new IOException("no node of the cluster responds");
        for (NodeReportResult result : leaderFirst(results)) {
            try {
                return withStopped(raft.check(result.node()), results);
            } catch (ClusterException e) {
                throw e;
            } catch (IOException e) { // it may have diverged and stopped
                failure = e;
            }
        }
        throw failed("the states were not compared", failure);
    }

    private static List<NodeReportResult> leaderFirst(List<NodeReportResult> results) {
        List<NodeReportResult> able =
                results.stream()
                        .filter(
                                result ->
                                        result.report() != null
                                                && result.report().clusterId() != null
                                                && !hasRole(result, NodeReport.DIVERGED))
                        .toList();
        return Stream.concat(
                        able.stream().filter(result -> hasRole(result, "leader")),
                        able.stream().filter(result -> !hasRole(result, "leader")))
                .toList();
    }

    private static boolean hasRole(NodeReportResult result, String role) {
        return result.report() != null && result.report().status().role().equals(role);
    }

    /** Adds which nodes had diverged before and have stopped since. */
    private static StateCheckReport withStopped(
            StateCheckReport report, List<NodeReportResult> results) {
        return new StateCheckReport(
                report.index(),
                report.nodes().stream()
                        .map(
                                node ->
                                        new StateCheckReport.Node(
                                                node.name(),
                                                node.hash(),
                                                node.diverged() || isStopped(node, results)))
                        .toList());
    }

    private static boolean isStopped(StateCheckReport.Node node, List<NodeReportResult> results) {
        return results.stream()
                .anyMatch(
                        result ->
                                result.node().name().equals(node.name())
                                        && hasRole(result, NodeReport.DIVERGED));
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
            queries.forEach(
                    (node, report) ->
                            results.merge(
                                    node.name(),
                                    result(node, report),
                                    (old, now) -> now.report() == null ? old : now));
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

    /** Adds a node, which must be waiting with an empty data directory. */
    public void add(NodeAddress node) throws ClusterException {
        Leader leader = leader();
        Map<String, Member> next = membersByName(leader);
        if (next.containsKey(node.name())) {
            throw new ClusterException("the cluster has a node named " + node.name() + " already");
        }
        admit(leader, next, node);
    }

    /** Removes a node. */
    public void remove(String name) throws ClusterException {
        Leader leader = leader();
        Map<String, Member> next = membersByName(leader);
        requireMember(name, next);
        if (next.size() == 1) {
            throw new ClusterException(
                    name + " is the last node and cannot be removed: stop it instead");
        }
        next.remove(name);
        changeMembers(leader, next);
    }

    /**
     * Replaces a node by another in one step, which must be waiting with an empty data directory.
     * The other one may have the same name and the same address.
     */
    public void replace(String old, NodeAddress node) throws ClusterException {
        Leader leader = leader();
        Map<String, Member> next = membersByName(leader);
        requireMember(old, next);
        next.remove(old);
        if (next.containsKey(node.name())) {
            throw new ClusterException("the cluster has a node named " + node.name() + " already");
        }
        admit(leader, next, node);
    }

    /** Adds a waiting node to the members. Ratis first sends it the log, or a snapshot. */
    private void admit(Leader leader, Map<String, Member> next, NodeAddress node)
            throws ClusterException {
        requireFree(node, next.values());
        next.put(node.name(), new Member(node, join(leader, node)));
        changeMembers(leader, next);
    }

    private static void requireFree(NodeAddress node, Collection<Member> members)
            throws ClusterException {
        for (Member member : members) {
            if (member.address().address().equals(node.address())) {
                throw new ClusterException(
                        "the node "
                                + member.name()
                                + " has the address "
                                + node.address()
                                + " already");
            }
        }
    }

    /** Gives a waiting node the id of the cluster, and returns its data id. */
    private UUID join(Leader leader, NodeAddress node) throws ClusterException {
        long startNanos = System.nanoTime();
        boolean given = false;
        while (true) {
            try {
                NodeReport report = raft.report(node);
                requireNew(leader, node, report);
                if (report.status().role().equals(NodeReport.JOINING)) {
                    return report.dataId();
                }
                if (!given && report.clusterId() == null) {
                    given = true;
                    raft.join(node, leader.clusterId(), report.dataId());
                }
            } catch (ClusterException e) {
                throw e;
            } catch (IOException e) {
                if (!given || System.nanoTime() - startNanos > JOIN_NANOS) {
                    throw failed(
                            node
                                    + " does not respond: start it first, with an empty data"
                                    + " directory and holdfast serve --join",
                            e);
                }
            }
            if (System.nanoTime() - startNanos > JOIN_NANOS) {
                throw new ClusterException(
                        node + " has not begun to join the cluster: see its log");
            }
            LockSupport.parkNanos(JOIN_POLL_NANOS);
        }
    }

    private static void requireNew(Leader leader, NodeAddress node, NodeReport report)
            throws ClusterException {
        String role = report.status().role();
        if (report.clusterId() != null && !report.clusterId().equals(leader.clusterId())) {
            throw new ClusterException(
                    node
                            + " belongs to another cluster, with the id "
                            + report.clusterId()
                            + ": start it with an empty data directory");
        }
        if (report.status().knownVersion() < leader.version()) {
            throw new ClusterException(
                    "the cluster has the version %d, and %s knows the versions up to %d: upgrade it"
                            .formatted(leader.version(), node, report.status().knownVersion()));
        }
        boolean joins =
                role.equals(NodeReport.JOINING)
                        || (role.equals(NodeReport.STARTING)
                                && report.members().members().isEmpty());
        if (!role.equals(NodeReport.WAITING) && !joins) {
            throw new ClusterException(
                    node
                            + " has the data of a member, present or past: start it with an empty"
                            + " data directory");
        }
    }

    /**
     * Changes the address of a node, which keeps its identity and its data. It may already listen
     * there, or later.
     */
    public void move(NodeAddress node) throws ClusterException {
        List<NodeAddress> nodes = new ArrayList<>(known);
        nodes.add(node);
        Leader leader = leader(nodes);
        Map<String, Member> next = membersByName(leader);
        Member member = requireMember(node.name(), next);
        if (member.address().equals(node)) {
            return;
        }
        requireFree(node, next.values());
        requireSameOrNone(member, node);
        next.put(node.name(), new Member(node, member.dataId()));
        changeMembers(leader, next);
    }

    /** Refuses an address at which another node listens, or one with other data. */
    private void requireSameOrNone(Member member, NodeAddress node) throws ClusterException {
        NodeReport report;
        try {
            report = raft.report(node);
        } catch (ClusterException e) {
            throw e;
        } catch (IOException e) {
            return; // nobody listens there yet
        }
        if (!report.dataId().equals(member.dataId())) {
            throw new ClusterException(
                    "the node at "
                            + node.address()
                            + " does not have the data of "
                            + node.name()
                            + ": start it with the data directory of "
                            + node.name()
                            + ", or replace that node (holdfast cluster replace)");
        }
    }

    /** Transfers the leadership to a node. */
    public void transfer(String name) throws ClusterException {
        for (int left = TRANSFERS; ; left--) {
            Leader leader = leader();
            Member next = requireMember(name, membersByName(leader));
            if (leader.node().name().equals(name)) {
                return;
            }
            requireServing(next.address());
            try {
                raft.transfer(leader, next);
                return;
            } catch (ClusterException e) {
                throw e;
            } catch (IOException e) {
                if (left <= 0) { // there may have been an election at the same moment
                    throw failed("could not transfer the leadership to " + name, e);
                }
            }
        }
    }

    /** While the leadership is being transferred nothing is committed, so the node must be up. */
    private void requireServing(NodeAddress node) throws ClusterException {
        NodeReport report;
        try {
            report = raft.report(node);
        } catch (IOException e) {
            throw failed("the leadership cannot be transferred to " + node.name(), e);
        }
        if (!report.status().serving()) {
            throw new ClusterException(
                    "the leadership cannot be transferred to "
                            + node.name()
                            + ": it does not serve");
        }
    }

    /**
     * Makes a node write a snapshot.
     *
     * @throws ClusterException if it does not
     */
    public void snapshot(String name) throws ClusterException {
        snapshot(find(name));
    }

    private NodeAddress find(String name) throws ClusterException {
        return known.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ClusterException("no node is named " + name));
    }

    private void snapshot(NodeAddress node) throws ClusterException {
        try {
            NodeReport report = raft.report(node);
            if (report.clusterId() == null) {
                throw new IOException("it has no cluster yet");
            }
            raft.snapshot(report.clusterId(), new Member(node, report.dataId()));
        } catch (ClusterException e) {
            throw e;
        } catch (IOException e) {
            throw failed(node.name() + " did not write a snapshot", e);
        }
    }

    /**
     * Makes a node write a snapshot, and downloads it into a file.
     *
     * @param from the node; null for a follower that is up to date, since a leader decides nothing
     *     while it writes a snapshot
     * @return the node
     */
    public String backUp(@Nullable String from, Path file) throws IOException {
        NodeAddress node = from == null ? source() : find(from);
        for (int left = DOWNLOADS; ; left--) {
            snapshot(node);
            try {
                Backup.create(file, out -> raft.downloadSnapshot(node, out));
                return node.name();
            } catch (ClusterException e) {
                throw e;
            } catch (IOException e) {
                if (left <= 0) { // the node may have written another one meanwhile
                    throw failed("the backup of " + node.name() + " failed", e);
                }
            }
        }
    }

    /** Returns the follower that has applied most; the leader if there is none. */
    private NodeAddress source() throws ClusterException {
        return status().stream()
                .filter(result -> result.report() != null && result.report().status().serving())
                .max(
                        Comparator.comparing(ClusterAdmin::isFollower)
                                .thenComparingLong(ClusterAdmin::appliedIndex))
                .map(NodeReportResult::node)
                .orElseThrow(() -> new ClusterException("no node is serving"));
    }

    private static boolean isFollower(NodeReportResult result) {
        return result.report() != null && result.report().status().role().equals("follower");
    }

    private static long appliedIndex(NodeReportResult result) {
        return result.report() == null ? -1 : result.report().status().appliedIndex();
    }

    private void changeMembers(Leader leader, Map<String, Member> next) throws ClusterException {
        List<Member> requested = List.copyOf(next.values());
        String refusal;
        try {
            refusal = raft.changeMembers(leader, requested);
        } catch (ClusterException e) {
            throw e;
        } catch (IOException e) {
            awaitChange(leader, requested, e);
            return;
        }
        if (refusal != null) {
            throw new ClusterException("the members of the cluster were not changed: " + refusal);
        }
    }

    /**
     * Waits for the end of a change to which there was no response: a new member may need longer
     * for the state. The leader gives up when the new member no longer responds.
     */
    private void awaitChange(Leader leader, List<Member> requested, IOException failure)
            throws ClusterException {
        long progressNanos = System.nanoTime();
        while (true) {
            Optional<NodeReport> report =
                    new ClusterStatus(status())
                            .leaders().stream()
                                    .map(LeaderReport::report)
                                    .filter(now -> leader.clusterId().equals(now.clusterId()))
                                    .findFirst();
            MemberChangeProgress progress =
                    report.map(now -> MemberChangeProgress.of(now, leader.members(), requested))
                            .orElse(MemberChangeProgress.NOT_DONE);
            long now = System.nanoTime();
            switch (progress) {
                case DONE -> {
                    return;
                }
                case IN_PROGRESS -> progressNanos = now;
                case NOT_DONE -> {
                    if (report.isPresent() || now - progressNanos > ELECTION_NANOS) {
                        throw failed(
                                "no confirmation of the membership change: check it with holdfast"
                                        + " cluster status",
                                failure);
                    }
                }
            }
            LockSupport.parkNanos(CHANGE_POLL_NANOS);
        }
    }

    private static Map<String, Member> membersByName(Leader leader) {
        Map<String, Member> members = new LinkedHashMap<>();
        leader.members().forEach(member -> members.put(member.name(), member));
        return members;
    }

    private static Member requireMember(String name, Map<String, Member> members)
            throws ClusterException {
        Member member = members.get(name);
        if (member == null) {
            throw new ClusterException(
                    "the cluster has no node named "
                            + name
                            + "; its nodes are "
                            + String.join(", ", members.keySet()));
        }
        return member;
    }

    private Leader leader() throws ClusterException {
        return leader(known);
    }

    private Leader leader(List<NodeAddress> nodes) throws ClusterException {
        List<LeaderReport> leaders = new ClusterStatus(status(nodes)).leaders();
        if (leaders.isEmpty()) {
            throw new ClusterException(
                    "the cluster has no leader, so nothing can be committed: see holdfast cluster"
                            + " status");
        }
        LeaderReport first = leaders.getFirst();
        NodeReport report = first.report();
        UUID clusterId = Objects.requireNonNull(report.clusterId());
        for (LeaderReport other : leaders) {
            if (!clusterId.equals(other.report().clusterId())) {
                throw new ClusterException(
                        first.node().name()
                                + " and "
                                + other.node().name()
                                + " lead different clusters: check --cluster");
            }
        }
        return new Leader(
                clusterId,
                new Member(first.node(), report.dataId()),
                report.status().version(),
                report.members().members().stream()
                        .sorted(Comparator.comparing(Member::name))
                        .toList());
    }

    private static ClusterException failed(String what, IOException e) {
        return new ClusterException(what + ": " + FailureText.of(e), e);
    }
}
