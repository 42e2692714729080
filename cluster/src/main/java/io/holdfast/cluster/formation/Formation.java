package io.holdfast.cluster.formation;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.DataDirectory;
import io.holdfast.cluster.Member;
import io.holdfast.cluster.MemberList;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeIdentity;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.NodeStatus;
import io.holdfast.cluster.rpc.Greeting;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RefusedConnections;
import io.holdfast.cluster.rpc.RpcRefusedException;
import io.holdfast.cluster.rpc.RpcSocketFactory;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Gets a cluster for a node that has none. The first of the configured nodes makes the id and the
 * member list of a new cluster, once all of them answer that they are empty and have the same list,
 * and its own address in that list leads to itself. The others take both from any node that has
 * them and finds their data id in its list; so a crash halfway does no harm. A node whose data id
 * is not in the list of a running cluster never joins it by itself: it waits for an administrator.
 *
 * <p>A node with a restored backup forms a cluster of its own, unless it knows of another such
 * node. Until a majority of its list has joined, it does not serve, and its report has the data ids
 * of the empty nodes that it admits; those take the id of its cluster, and are added by it.
 *
 * <p>Until the node has a cluster, it accepts no Raft message: it neither votes nor acknowledges.
 */
public final class Formation implements NodeRpcServer.Service {
    private static final Logger LOG = LoggerFactory.getLogger(Formation.class);

    private final ClusterConfig config;
    private final DataDirectory data;
    private final RefusedConnections refused;

    private final CountDownLatch hasCluster = new CountDownLatch(1);

    private final WaitReason reason = new WaitReason("waiting for a cluster");

    public Formation(ClusterConfig config, DataDirectory data, RefusedConnections refused) {
        this.config = config;
        this.data = data;
        this.refused = refused;
    }

    // ---- what others may ask

    @Override
    public Greeting greeting() {
        return new Greeting(
                Greeting.Kind.NODE,
                config.name(),
                null,
                config.node(),
                data.dataId(),
                MemberList.NONE,
                config.versions(),
                0);
    }

    @Override
    public NodeRpcServer.Handler accept(Greeting opener) throws IOException {
        try {
            requireName(config.name(), opener);
            int _ = opener.frameVersion(config.node(), config.versions());
            if (opener.kind() == Greeting.Kind.NODE) {
                takeCluster(opener);
            }
        } catch (RpcRefusedException e) {
            refused.incoming(opener.node(), String.valueOf(e.getMessage()));
            throw e;
        }
        return this::handle;
    }

    /** A member of a cluster wants to send Raft messages, for which it is too early in any case. */
    private void takeCluster(Greeting member) throws IOException {
        member.requireClusterVersion(config.node(), config.versions());
        if (data.hasCluster()) {
            throw new IOException("the node is starting");
        }
        UUID clusterId = member.clusterId();
        if (clusterId == null || !member.members().contains(data.dataId())) {
            throw new RpcRefusedException(
                    config.node()
                            + " is not the node that it was, or has another address: it has no"
                            + " cluster, since its data directory was empty when it was started");
        }
        record(clusterId, member.members().members());
        throw new IOException("the node is starting");
    }

    /** Refuses an opener that belongs to a cluster of another name. */
    public static void requireName(String cluster, Greeting opener) throws RpcRefusedException {
        if (!opener.cluster().equals(cluster)) {
            throw new RpcRefusedException(
                    "this is a node of the cluster "
                            + cluster
                            + ", not of "
                            + opener.cluster()
                            + ": check --cluster-name");
        }
    }

    private CompletableFuture<byte[]> handle(byte kind, byte[] body) throws IOException {
        return switch (kind) {
            case NodeCalls.STATUS -> CompletableFuture.completedFuture(report().toBytes());
            case NodeCalls.JOIN -> {
                ByteBuffer ids = ByteBuffer.wrap(body);
                join(
                        new UUID(ids.getLong(), ids.getLong()),
                        new UUID(ids.getLong(), ids.getLong()));
                yield CompletableFuture.completedFuture(new byte[0]);
            }
            default -> throw new IOException(config.node() + " has no cluster yet");
        };
    }

    private NodeReport report() {
        boolean starts = data.hasCluster();
        NodeStatus status =
                new NodeStatus(
                        config.node(),
                        starts ? NodeReport.STARTING : NodeReport.WAITING,
                        0,
                        null,
                        -1,
                        -1,
                        false,
                        0,
                        data.version(),
                        config.versions().cluster(),
                        List.of());
        if (!starts) {
            return new NodeReport(
                    status,
                    null,
                    data.dataId(),
                    MemberList.NONE,
                    new NodeReport.Waiting(
                            config.members(), config.joining(), data.backup(), reason.text()),
                    null);
        }
        NodeIdentity identity = data.identity(config.self());
        return new NodeReport(
                status,
                identity.clusterId(),
                data.dataId(),
                MemberList.initial(identity.members()),
                null,
                data.isRestored()
                        ? new NodeReport.Restored(Set.of(), config.node() + " is starting")
                        : null);
    }

    private synchronized void join(UUID clusterId, UUID dataId) throws IOException {
        if (data.hasCluster()) {
            throw new IOException(config.node() + " has a cluster already, and is starting");
        }
        if (!dataId.equals(data.dataId())) {
            throw new IOException("the data directory of " + config.node() + " is another one now");
        }
        if (!data.backup().isEmpty()) {
            throw new IOException(
                    config.node()
                            + " has a restored backup: only a node with an empty data directory can"
                            + " be added");
        }
        record(clusterId, List.of());
    }

    private synchronized void record(UUID clusterId, List<Member> members) throws ClusterException {
        if (!data.hasCluster()) {
            if (isRestored() && !members.equals(List.of(self()))) {
                throw new ClusterException(
                        config.node() + " has a restored backup, and joins no other cluster");
            }
            data.recordCluster(clusterId, members);
            hasCluster.countDown();
        }
    }

    // ---- until there is a cluster

    /** Waits until the node has a cluster. */
    public void await(RpcSocketFactory rpcSocketFactory) throws ClusterException {
        if (config.isSingle()) {
            record(UUID.randomUUID(), List.of(self()));
            return;
        }
        try (NodePoll others = new NodePoll(config, rpcSocketFactory)) {
            while (!data.hasCluster()) {
                List<NodePoll.Response> responses = others.query();
                if (isRestored() && !config.joining()) {
                    stepRestored(responses);
                } else {
                    step(others, responses);
                }
                boolean _ = hasCluster.await(NodePoll.PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while waiting for a cluster", e);
        }
    }

    private boolean isRestored() {
        return !data.backup().isEmpty();
    }

    private Member self() {
        return new Member(config.self(), data.dataId());
    }

    private void stepRestored(List<NodePoll.Response> responses) throws ClusterException {
        for (NodePoll.Response response : responses) {
            NodeReport report = response.report();
            if (report != null && response.isRestored()) {
                reason.set(otherRestored(response), true);
                return;
            }
            if (report != null && report.clusterId() != null) {
                reason.set(admission(report), true);
                return;
            }
        }
        record(UUID.randomUUID(), List.of(self()));
        LOG.info("a new cluster is formed from the restored backup");
    }

    /** Returns what an administrator has to do with a second node that has a restored backup. */
    public static String otherRestored(NodePoll.Response other) {
        return other.node().name()
                + " has a restored backup, too: restore it on one node only, and empty the data"
                + " directories of the others";
    }

    private void step(NodePoll nodes, List<NodePoll.Response> responses) throws ClusterException {
        NodeReport known = null;
        for (NodePoll.Response response : responses) {
            NodeReport report = response.report();
            if (report == null || report.clusterId() == null) {
                continue;
            }
            if (report.members().contains(data.dataId())) {
                record(report.clusterId(), report.members().members());
                return;
            }
            if (report.restored() != null && report.restored().admitted().contains(data.dataId())) {
                record(report.clusterId(), List.of());
                return;
            }
            known = report;
        }
        if (known != null) {
            reason.set(admission(known), known.restored() == null);
            return;
        }
        List<String> obstacles = new ArrayList<>();
        for (NodePoll.Response response : responses) {
            String obstacle = response.obstacle(config);
            if (obstacle != null) {
                obstacles.add(obstacle);
            }
        }
        if (config.joining()) {
            reason.set("no node has a cluster yet: " + String.join("; ", obstacles), false);
        } else if (!obstacles.isEmpty()) {
            reason.set(String.join("; ", obstacles), false);
        } else if (config.members().getFirst().name().equals(config.node())) {
            form(nodes, responses);
        } else {
            reason.set(config.members().getFirst().name() + " is forming the cluster", false);
        }
    }

    /** Returns what an administrator has to do, or which node will admit this one. */
    private String admission(NodeReport running) {
        if (isRestored()) {
            return running.status().node()
                    + " has a cluster already, and this node has a restored backup: empty either"
                    + " the data directories of the others or this one";
        }
        if (running.restored() != null) {
            return running.status().node()
                    + " has a restored backup and will admit this node: "
                    + running.restored().reason();
        }
        String self = config.self().toString();
        String nodes =
                String.join(",", config.members().stream().map(NodeAddress::toString).toList());
        return "the cluster runs, and this data directory is new to it; to admit this node run:"
                + " holdfast cluster "
                + (running.members().containsName(config.node())
                        ? "replace " + config.node() + " "
                        : "add ")
                + self
                + " --cluster "
                + nodes
                + (config.name().equals(ClusterConfig.DEFAULT_NAME)
                        ? ""
                        : " --cluster-name " + config.name())
                + (config.secret() == null ? "" : " --cluster-secret-file FILE")
                + (config.tls() == null
                        ? ""
                        : " --cluster-tls-cert FILE --cluster-tls-key FILE --cluster-tls-ca FILE");
    }

    /**
     * Forms the cluster, unless this node is not the one that the others find at its address: of
     * two processes with one name, each could form a cluster with other nodes.
     */
    private void form(NodePoll nodes, List<NodePoll.Response> responses) throws ClusterException {
        Map<String, Member> members = new LinkedHashMap<>();
        members.put(config.node(), self());
        Set<UUID> ids = new HashSet<>(Set.of(data.dataId()));
        for (NodePoll.Response response : responses) {
            NodeReport report = response.report();
            if (report == null || !ids.add(report.dataId())) {
                reason.set(response.node().name() + " has a copy of a data directory", false);
                return;
            }
            members.put(response.node().name(), new Member(response.node(), report.dataId()));
        }
        NodePoll.Response own = nodes.querySelf();
        NodeReport atOwnAddress = own.report();
        if (atOwnAddress == null) {
            reason.set(
                    config.node()
                            + " does not reach itself at its address in --cluster, "
                            + own.node().address()
                            + " ("
                            + own.failure()
                            + ")",
                    false);
            return;
        }
        if (!atOwnAddress.dataId().equals(data.dataId())) {
            reason.set(
                    "another process named "
                            + config.node()
                            + " has its address in --cluster, "
                            + own.node().address()
                            + ": end one of the two",
                    true);
            return;
        }
        record(
                UUID.randomUUID(),
                config.members().stream().map(node -> members.get(node.name())).toList());
        LOG.info("a new cluster is formed");
    }
}
