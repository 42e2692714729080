package io.holdfast.cluster.raft;

import io.holdfast.cluster.rpc.Handshake;
import io.holdfast.cluster.rpc.NodeRpcClient;
import io.holdfast.cluster.rpc.RpcSocketFactory;

import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.RaftClientReplyProto;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.TimeoutIOException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The RPC client of Ratis for administration. */
final class AdminRaftClientRpc implements RaftClientRpc {
    private final RpcSocketFactory rpcSocketFactory;
    private final Handshake handshake;
    private final long timeoutMillis;
    private final Map<RaftPeerId, RaftPeer> peers = new ConcurrentHashMap<>();
    private final Map<RaftPeerId, NodeRpcClient> clients = new ConcurrentHashMap<>();

    AdminRaftClientRpc(
            RpcSocketFactory rpcSocketFactory, Handshake handshake, RaftProperties properties) {
        this.rpcSocketFactory = rpcSocketFactory;
        this.handshake = handshake;
        this.timeoutMillis =
                RaftClientConfigKeys.Rpc.requestTimeout(properties).toLong(TimeUnit.MILLISECONDS);
    }

    /** Keeps the first address of each: nobody may listen yet at one that is to be changed. */
    @Override
    public void addRaftPeers(Collection<RaftPeer> known) {
        known.forEach(peer -> peers.putIfAbsent(peer.getId(), peer));
    }

    @Override
    public RaftClientReply sendRequest(RaftClientRequest request) throws IOException {
        return switch (request) {
            case SetConfigurationRequest change ->
                    reply(
                            request,
                            RpcMessageTypes.CONFIGURE,
                            ClientProtoUtils.toSetConfigurationRequestProto(change).toByteArray());
            case TransferLeadershipRequest transfer ->
                    reply(
                            request,
                            RpcMessageTypes.TRANSFER,
                            ClientProtoUtils.toTransferLeadershipRequestProto(transfer)
                                    .toByteArray());
            case SnapshotManagementRequest snapshot ->
                    reply(
                            request,
                            RpcMessageTypes.SNAPSHOT_MANAGEMENT,
                            ClientProtoUtils.toSnapshotManagementRequestProto(snapshot)
                                    .toByteArray());
            default -> throw new UnsupportedOperationException(request.toString());
        };
    }

    private RaftClientReply reply(RaftClientRequest request, byte kind, byte[] body)
            throws IOException {
        return ClientProtoUtils.toRaftClientReply(
                RaftClientReplyProto.parseFrom(await(request, kind, body)));
    }

    private byte[] await(RaftClientRequest request, byte kind, byte[] body) throws IOException {
        long millis = timeoutMillis + request.getTimeoutMs();
        NodeRpcClient nodeRpcClient =
                clients.computeIfAbsent(request.getServerId(), this::newClient);
        try {
            return nodeRpcClient.call(kind, body, millis).get(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (TimeoutException e) {
            nodeRpcClient.reconnect();
            throw new TimeoutIOException("no response in time", e);
        }
    }

    private NodeRpcClient newClient(RaftPeerId id) {
        return new NodeRpcClient(
                "holdfast-cluster-admin",
                () -> SocketRpcType.address(peers.get(id)),
                rpcSocketFactory,
                handshake);
    }

    @Override
    public void close() {
        clients.values().forEach(NodeRpcClient::close);
    }
}
