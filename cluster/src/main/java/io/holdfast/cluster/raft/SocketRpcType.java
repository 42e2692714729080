package io.holdfast.cluster.raft;

import io.holdfast.cluster.check.StateHashMessage;
import io.holdfast.cluster.rpc.Handshake;
import io.holdfast.cluster.rpc.NodeRpcServer;
import io.holdfast.cluster.rpc.RpcSocketFactory;

import org.apache.ratis.client.ClientFactory;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The transport of Ratis over our own connections. Ratis creates it by its class name. */
public final class SocketRpcType implements RpcType {
    private static final String SOCKETS = "holdfast.sockets";
    private static final String HANDSHAKE = "holdfast.handshake";
    private static final String SERVER_CONTEXT = "holdfast.server";

    /** What the transport needs from a server. */
    interface ServerContext {
        NodeRpcServer nodeRpcServer();

        /** The server has its log and member list; it gets messages of other nodes after this. */
        void started(RaftServer server) throws IOException;

        PeerAdmission admission();

        /** Returns the status of this node, as an encoded report. */
        byte[] status();

        /**
         * Handles a proposal of another node.
         *
         * @param onRejected called if the entry is not committed
         */
        void proposed(byte[] entry, Runnable onRejected);

        /**
         * Handles the hash of the state of another node.
         *
         * @param from the data id of that node
         */
        void received(UUID from, StateHashMessage message);

        /** Makes the nodes compare their states, and returns an encoded report. */
        CompletableFuture<byte[]> check();

        HardStateFile hardState();

        MemberChangeGate memberChanges();

        void add(SocketRaftServerRpc rpc);
    }

    @Override
    public String name() {
        return SocketRpcType.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters);
    }

    /** Sets the socket factory of a server or a client. */
    static void put(Parameters parameters, RpcSocketFactory rpcSocketFactory) {
        parameters.put(SOCKETS, rpcSocketFactory, RpcSocketFactory.class);
    }

    static RpcSocketFactory sockets(Parameters parameters) {
        return parameters.get(SOCKETS, RpcSocketFactory.class);
    }

    /** Sets the handshake of a client. */
    static void put(Parameters parameters, Handshake handshake) {
        parameters.put(HANDSHAKE, handshake, Handshake.class);
    }

    static void put(Parameters parameters, ServerContext serverContext) {
        parameters.put(SERVER_CONTEXT, serverContext, ServerContext.class);
    }

    static InetSocketAddress address(@Nullable RaftPeer peer) {
        if (peer == null) {
            throw new UncheckedIOException(new IOException("the peer has no known address"));
        }
        String text = peer.getAddress();
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        return InetSocketAddress.createUnresolved(
                host, Integer.parseInt(text.substring(colon + 1)));
    }

    private static final class Factory implements ServerFactory, ClientFactory {
        private final Parameters parameters;

        Factory(Parameters parameters) {
            this.parameters = parameters;
        }

        @Override
        public RpcType getRpcType() {
            return new SocketRpcType();
        }

        @Override
        public RaftClientRpc newRaftClientRpc(ClientId clientId, RaftProperties properties) {
            return new AdminRaftClientRpc(
                    sockets(parameters), parameters.get(HANDSHAKE, Handshake.class), properties);
        }

        private ServerContext serverContext() {
            return parameters.get(SERVER_CONTEXT, ServerContext.class);
        }

        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            SocketRaftServerRpc rpc =
                    new SocketRaftServerRpc(server, sockets(parameters), serverContext());
            serverContext().add(rpc);
            return rpc;
        }

        @Override
        public LogAppender newLogAppender(
                RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            return new EagerLogAppender(server, state, follower);
        }
    }
}
