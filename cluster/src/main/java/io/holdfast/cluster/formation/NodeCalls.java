package io.holdfast.cluster.formation;

import io.holdfast.cluster.ClusterException;
import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;
import io.holdfast.cluster.check.StateCheckReport;
import io.holdfast.cluster.rpc.Handshake;
import io.holdfast.cluster.rpc.NodeRpcClient;
import io.holdfast.cluster.rpc.RpcSocketFactory;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The calls to one node that need no cluster. The numbers are part of the protocol. */
public final class NodeCalls implements Closeable {
    /** Asks for a {@link NodeReport}. */
    public static final byte STATUS = 30;

    /** Gives a node without a cluster the id of its cluster. */
    static final byte JOIN = 31;

    /** Makes the nodes compare their states; the response is a {@link StateCheckReport}. */
    public static final byte CHECK = 32;

    private final NodeAddress node;
    private final NodeRpcClient nodeRpcClient;

    /**
     * @param cluster the name of the cluster
     */
    public NodeCalls(NodeAddress node, String cluster, RpcSocketFactory rpcSocketFactory) {
        this(node, Handshake.admin(cluster), rpcSocketFactory);
    }

    /**
     * @param handshake of an administrator
     */
    public NodeCalls(NodeAddress node, Handshake handshake, RpcSocketFactory rpcSocketFactory) {
        this.node = node;
        this.nodeRpcClient =
                new NodeRpcClient(
                        "holdfast-cluster-query",
                        () -> InetSocketAddress.createUnresolved(node.host(), node.port()),
                        rpcSocketFactory,
                        handshake);
    }

    /**
     * Returns the report of the node.
     *
     * @throws ClusterException if another node listens there
     */
    public NodeReport report(long timeoutMillis) throws IOException {
        NodeReport report = NodeReport.of(call(STATUS, new byte[0], timeoutMillis));
        if (!report.status().node().equals(node.name())) {
            throw new ClusterException(
                    "the node at " + node.address() + " is named " + report.status().node());
        }
        return report;
    }

    /**
     * Gives a node without a cluster the id of its cluster, so that it can be added.
     *
     * @param dataId the data id that the node has reported
     */
    public void join(UUID clusterId, UUID dataId, long timeoutMillis) throws IOException {
        call(JOIN, encode(clusterId, dataId), timeoutMillis);
    }

    /** Makes the nodes compare their states. */
    public StateCheckReport check(long timeoutMillis) throws IOException {
        return StateCheckReport.of(call(CHECK, new byte[0], timeoutMillis));
    }

    private static byte[] encode(UUID clusterId, UUID dataId) {
        return ByteBuffer.allocate(4 * Long.BYTES)
                .putLong(clusterId.getMostSignificantBits())
                .putLong(clusterId.getLeastSignificantBits())
                .putLong(dataId.getMostSignificantBits())
                .putLong(dataId.getLeastSignificantBits())
                .array();
    }

    private byte[] call(byte kind, byte[] body, long timeoutMillis) throws IOException {
        try {
            return nodeRpcClient
                    .call(kind, body, timeoutMillis)
                    .get(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (TimeoutException e) {
            nodeRpcClient.reconnect();
            throw new IOException("no response in time", e);
        }
    }

    @Override
    public void close() {
        nodeRpcClient.close();
    }
}
