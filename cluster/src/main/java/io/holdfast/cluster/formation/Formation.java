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
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Gets a cluster for a node that has none. The first of the configured nodes makes the id and the
 * member list of a new cluster, once all of them answer that they are empty and have the same list.
 * The others take both from any node that has them and finds their data id in its list; so a crash
 * halfway does no harm. A node whose data id is not in the list of a running cluster never joins it
 * by itself: it waits for an administrator.
 *
 * <p>Until the node has a cluster, it accepts no Raft message: it neither votes nor acknowledges.
 */
public final class Formation implements NodeRpcServer.Service {
    private static final Logger LOG = LoggerFactory.getLogger(Formation.class);
    private static final long POLL_MILLIS = 200;
    private static final long QUERY_MILLIS = 2000;
    private static final long LOG_AFTER_NANOS = 3_000_000_000L;
    private static final long LOG_AGAIN_NANOS = 60_000_000_000L;

    /** The minimum time between two reasons in the log, which may alternate. */
    private static final long LOG_CHANGED_NANOS = 10_000_000_000L;

    private final ClusterConfig config;
    private final DataDirectory data;
    private final RefusedConnections refused;

    private final CountDownLatch hasCluster = new CountDownLatch(1);

    /** What the node waits for. */
    private volatile String reason = "the node is starting";

    private String logged = "";
    private long loggedNanos;
    private final long startNanos = System.nanoTime();

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
                MemberList.NONE);
    }

    @Override
    public NodeRpcServer.Handler accept(Greeting opener) throws IOException {
        try {
            requireName(config.name(), opener);
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
                        List.of());
        if (!starts) {
            return new NodeReport(
                    status,
                    null,
                    data.dataId(),
                    MemberList.NONE,
                    new NodeReport.Waiting(
                            config.members(), config.joining(), data.backup(), reason));
        }
        NodeIdentity identity = data.identity(config.self());
        return new NodeReport(
                status,
                identity.clusterId(),
                data.dataId(),
                new MemberList(-1, identity.members()),
                null);
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
        Map<NodeAddress, NodeCalls> others = new LinkedHashMap<>();
        for (NodeAddress node : config.members()) {
            if (!node.name().equals(config.node())) {
                others.put(node, new NodeCalls(node, config.name(), rpcSocketFactory));
            }
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            while (!data.hasCluster()) {
                step(query(others, threads));
                boolean _ = hasCluster.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while waiting for a cluster", e);
        } finally {
            others.values().forEach(NodeCalls::close);
        }
    }

    private Member self() {
        return new Member(config.self(), data.dataId());
    }

    /** The response of a node: a report, or why there is none. */
    private record Response(NodeAddress node, @Nullable NodeReport report, String failure) {}

    private static List<Response> query(Map<NodeAddress, NodeCalls> others, ExecutorService threads)
            throws InterruptedException {
        Map<NodeAddress, Future<NodeReport>> queries = new LinkedHashMap<>();
        others.forEach(
                (node, calls) ->
                        queries.put(node, threads.submit(() -> calls.report(QUERY_MILLIS))));
        List<Response> responses = new ArrayList<>();
        for (Map.Entry<NodeAddress, Future<NodeReport>> query : queries.entrySet()) {
            try {
                responses.add(new Response(query.getKey(), query.getValue().get(), ""));
            } catch (ExecutionException e) {
                responses.add(new Response(query.getKey(), null, FailureText.of(e)));
            }
        }
        return responses;
    }

    private void step(List<Response> responses) throws ClusterException {
        NodeReport known = null;
        for (Response response : responses) {
            NodeReport report = response.report();
            if (report == null || report.clusterId() == null) {
                continue;
            }
            if (report.members().contains(data.dataId())) {
                record(report.clusterId(), report.members().members());
                return;
            }
            known = report;
        }
        if (known != null) {
            waitFor(admission(known), true);
            return;
        }
        List<String> obstacles = new ArrayList<>();
        for (Response response : responses) {
            String obstacle = obstacle(response);
            if (obstacle != null) {
                obstacles.add(obstacle);
            }
        }
        if (config.joining()) {
            waitFor("no node has a cluster yet: " + String.join("; ", obstacles), false);
        } else if (!obstacles.isEmpty()) {
            waitFor(String.join("; ", obstacles), false);
        } else if (config.members().getFirst().name().equals(config.node())) {
            form(responses);
        } else {
            waitFor(config.members().getFirst().name() + " is forming the cluster", false);
        }
    }

    /** Returns what an administrator has to do. */
    private String admission(NodeReport running) {
        if (!data.backup().isEmpty()) {
            return running.status().node()
                    + " has a cluster already, and this node has a restored backup: empty either"
                    + " the data directories of the others or this one";
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
                        : " --cluster-name " + config.name());
    }

    /** Returns why there cannot be a new cluster with a node yet; null if there can. */
    private @Nullable String obstacle(Response response) {
        String name = response.node().name();
        NodeReport report = response.report();
        NodeReport.Waiting waiting = report == null ? null : report.waiting();
        if (waiting == null) {
            return name + " does not answer (" + response.failure() + ")";
        }
        if (waiting.joins()) {
            return name + " waits to be added to a cluster (--join)";
        }
        if (!waiting.nodes().equals(config.members())) {
            return name
                    + " has another --cluster: "
                    + String.join(
                            ",", waiting.nodes().stream().map(NodeAddress::toString).toList());
        }
        if (!waiting.backup().equals(data.backup())) {
            return name + " has not the same restored backup: restore it on all nodes, or on none";
        }
        return null;
    }

    private void form(List<Response> responses) throws ClusterException {
        Map<String, Member> members = new LinkedHashMap<>();
        members.put(config.node(), self());
        Set<UUID> ids = new HashSet<>(Set.of(data.dataId()));
        for (Response response : responses) {
            NodeReport report = response.report();
            if (report == null || !ids.add(report.dataId())) {
                waitFor(response.node().name() + " has a copy of a data directory", false);
                return;
            }
            members.put(response.node().name(), new Member(response.node(), report.dataId()));
        }
        record(
                UUID.randomUUID(),
                config.members().stream().map(node -> members.get(node.name())).toList());
        LOG.info("a new cluster is formed");
    }

    /** Logs what the node waits for: at once if somebody must do something. */
    private void waitFor(String next, boolean atOnce) {
        reason = next;
        long now = System.nanoTime();
        boolean changed = !next.equals(logged);
        long againNanos = changed ? LOG_CHANGED_NANOS : LOG_AGAIN_NANOS;
        boolean due =
                (atOnce && changed)
                        || (now - startNanos > LOG_AFTER_NANOS
                                && (logged.isEmpty() || now - loggedNanos > againNanos));
        if (due) {
            logged = next;
            loggedNanos = now;
            LOG.atInfo().log("waiting for a cluster: {}", next);
        }
    }
}
