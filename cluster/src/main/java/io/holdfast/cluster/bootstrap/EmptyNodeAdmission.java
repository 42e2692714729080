package io.holdfast.cluster.bootstrap;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.formation.Formation;
import io.holdfast.cluster.formation.NodePoll;
import io.holdfast.cluster.formation.WaitReason;
import io.holdfast.cluster.raft.RaftNode;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Brings the empty nodes of the configured list into the cluster that this node has formed alone
 * from a restored backup, and of which it is the only voter. They take the id of the cluster when
 * they find their data id in the report of this node. Then they are added in one membership change,
 * in which Ratis first gives them the state.
 *
 * <p>The node does not serve before, and the change makes the members a majority of the list at
 * once: of two nodes with restored backups at most one gets a majority, and the other never serves.
 * After a crash at any point this begins again, with nodes that have taken the id of the cluster
 * already.
 */
final class EmptyNodeAdmission {
    private static final Logger LOG = LoggerFactory.getLogger(EmptyNodeAdmission.class);

    /** For how long the other nodes are waited for when there is a majority. */
    private static final long GRACE_NANOS = 3_000_000_000L;

    /** The maximum time for a node to take the id of the cluster and to start its Raft server. */
    private static final long TAKE_NANOS = 10_000_000_000L;

    private static final Duration CHANGE_TIMEOUT = Duration.ofSeconds(60);

    private final ClusterConfig config;
    private final NodeIdentity identity;
    private final RaftNode raft;
    private final WaitReason reason =
            new WaitReason("not serving the restored backup without a majority");

    private volatile Set<UUID> admitted = Set.of();

    /** Since when the empty nodes are a majority of the list, with this one; -1 if they are not. */
    private long majoritySinceNanos = -1;

    /** Since when there are {@link #admitted} nodes. */
    private long admittedSinceNanos;

    EmptyNodeAdmission(ClusterConfig config, NodeIdentity identity, RaftNode raft) {
        this.config = config;
        this.identity = identity;
        this.raft = raft;
    }

    /** Returns what the node reports meanwhile. Called on any thread. */
    NodeReport.Restored report() {
        return new NodeReport.Restored(admitted, reason.text());
    }

    /** Returns when a majority of the list are members. */
    void await(RpcSocketFactory rpcSocketFactory) throws ClusterException {
        try (NodePoll others = new NodePoll(config, rpcSocketFactory)) {
            while (!hasMajority()) {
                if (raft.isOver()) {
                    throw new ClusterException(
                            "the node ended while it was waiting for other nodes");
                }
                step(others.query());
                TimeUnit.MILLISECONDS.sleep(NodePoll.PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while waiting for other nodes", e);
        }
        LOG.info("a majority of the nodes has joined the restored cluster");
    }

    private boolean hasMajority() {
        return isMajority(listed(raft.members().members()));
    }

    private int listed(List<Member> members) {
        return (int)
                members.stream()
                        .filter(member -> config.members().contains(member.address()))
                        .count();
    }

    private boolean isMajority(int nodes) {
        return nodes > config.members().size() / 2;
    }

    private void step(List<NodePoll.Response> responses) {
        MemberList current = raft.members();
        List<Member> empty = new ArrayList<>();
        List<Member> ready = new ArrayList<>();
        List<String> obstacles = new ArrayList<>();
        for (NodePoll.Response response : responses) {
            if (response.isRestored()) {
                admitted = Set.of();
                reason.set(Formation.otherRestored(response), true);
                return;
            }
            String obstacle = obstacle(response);
            NodeReport report = response.report();
            if (obstacle != null || report == null) {
                obstacles.add(String.valueOf(obstacle));
                continue;
            }
            if (current.contains(report.dataId())) {
                continue; // an administrator has added it
            }
            Member member = new Member(response.node(), report.dataId());
            empty.add(member);
            if (report.status().role().equals(NodeReport.JOINING)) {
                ready.add(member);
            }
        }
        long now = System.nanoTime();
        int members = listed(current.members());
        if (!isMajority(members + empty.size())) {
            majoritySinceNanos = -1;
            admitted = Set.of();
            reason.set(String.join("; ", obstacles), false);
            return;
        }
        if (majoritySinceNanos < 0) {
            majoritySinceNanos = now;
        }
        if (!obstacles.isEmpty() && now - majoritySinceNanos < GRACE_NANOS) {
            return;
        }
        if (admitted.isEmpty()) {
            admittedSinceNanos = now;
        }
        admitted = empty.stream().map(Member::dataId).collect(Collectors.toUnmodifiableSet());
        boolean all = ready.size() == empty.size();
        if (isMajority(members + ready.size()) && (all || now - admittedSinceNanos > TAKE_NANOS)) {
            add(current.members(), ready);
        } else {
            reason.set("other nodes are joining", false);
        }
    }

    /** Returns why a node cannot be admitted; null if it can, or has been. */
    private @Nullable String obstacle(NodePoll.Response response) {
        NodeReport report = response.report();
        if (report == null || report.clusterId() == null) {
            return response.obstacle(config);
        }
        if (report.clusterId().equals(identity.clusterId())) {
            return null;
        }
        return response.node().name()
                + (report.status().serving()
                        ? " serves in another cluster, with the id "
                                + report.clusterId()
                                + ": empty the data directory of this node, unless the changes of"
                                + " that cluster are to be lost"
                        : " belongs to another cluster, with the id "
                                + report.clusterId()
                                + ": empty its data directory");
    }

    private void add(List<Member> current, List<Member> ready) {
        reason.set("other nodes are being sent the state", false);
        List<Member> next = new ArrayList<>(current);
        next.addAll(ready);
        try {
            raft.changeMembers(current, next, CHANGE_TIMEOUT);
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("reason", FailureText.of(e))
                    .log("could not add the other nodes to the restored cluster; trying again");
            admittedSinceNanos = System.nanoTime();
        }
    }
}
