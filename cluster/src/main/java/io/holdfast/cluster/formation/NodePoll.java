package io.holdfast.cluster.formation;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.rpc.RpcSocketFactory;
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Queries the configured nodes, all others at the same time. */
public final class NodePoll implements Closeable {
    /** The pause between two polls. */
    public static final long PAUSE_MILLIS = 200;

    private static final long QUERY_MILLIS = 2000;

    private final ClusterConfig config;
    private final RpcSocketFactory rpcSocketFactory;
    private final Map<NodeAddress, NodeCalls> others = new LinkedHashMap<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    public NodePoll(ClusterConfig config, RpcSocketFactory rpcSocketFactory) {
        this.config = config;
        this.rpcSocketFactory = rpcSocketFactory;
        for (NodeAddress node : config.members()) {
            if (!node.name().equals(config.node())) {
                others.put(node, new NodeCalls(node, config.name(), rpcSocketFactory));
            }
        }
    }

    /** The response of a node: a report, or why there is none. */
    public record Response(NodeAddress node, @Nullable NodeReport report, String failure) {
        /**
         * Returns why the node cannot become a member of a new cluster with the configured nodes;
         * null if it can: it waits, and its data directory is empty.
         */
        public @Nullable String obstacle(ClusterConfig config) {
            String name = node.name();
            NodeReport.Waiting waiting = report == null ? null : report.waiting();
            if (waiting == null) {
                return name + " does not respond (" + failure + ")";
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
            return isRestored()
                    ? name + " has a restored backup, and has not formed the cluster yet"
                    : null;
        }

        /** Whether the node has a restored backup and does not serve yet. */
        public boolean isRestored() {
            return report != null
                    && (report.restored() != null
                            || (report.waiting() != null && !report.waiting().backup().isEmpty()));
        }
    }

    /** Returns the responses in the order of the configuration. */
    public List<Response> query() throws InterruptedException {
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

    /** Queries whoever listens at the configured address of this node, over a new connection. */
    Response querySelf() {
        NodeAddress self = config.self();
        try (NodeCalls calls = new NodeCalls(self, config.name(), rpcSocketFactory)) {
            return new Response(self, calls.report(QUERY_MILLIS), "");
        } catch (IOException e) {
            return new Response(self, null, FailureText.of(e));
        }
    }

    @Override
    public void close() {
        others.values().forEach(NodeCalls::close);
        threads.shutdownNow();
    }
}
